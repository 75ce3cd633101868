import { demoScript } from './script';
import { serveScriptedModel, type ScriptedModel } from './server';

/** Its name in BATCHGATE_MODEL_NAME. */
export const DEMO_MODEL = 'demo';

export const serveDemoModel = (): Promise<ScriptedModel> => serveScriptedModel(demoScript);
