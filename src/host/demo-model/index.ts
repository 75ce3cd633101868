import { demoScript } from './script';
import { serveScriptedModel, type ScriptedModel } from './server';

/** The name that stands for it in BATCHGATE_MODEL_NAME. */
export const DEMO_MODEL = 'demo';

export const serveDemoModel = (): Promise<ScriptedModel> => serveScriptedModel(demoScript);
