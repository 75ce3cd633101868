import { realpath } from 'node:fs/promises';
import type { Config } from '../config';
import { loadDataConverter } from '../data-converter';
import { findRuntime } from '../runtime-file';
import { packageVersion } from '../version';
import { probeGoogle, probeMailbox } from './adapters';
import { check, ok, problem, type Check, type Finding } from './check';
import { checkConfigured } from './configured';
import { probeHygiene } from './hygiene';
import { judgeNode, judgePlatform, probeFolder } from './machine';
import { probeModel } from './model';
import { portQuestions, probePort } from './ports';
import { probeQuarantine } from './quarantine';
import { probeStore } from './store';
import { judgeSupervised } from './supervised';
import {
  findServer,
  onServer,
  probeNamespace,
  probeSearchAttributes,
  probeServer,
  probeWorker,
  type Probe,
} from './temporal';
import { probeTrello } from './trello';

export type { Check } from './check';

export interface Diagnosis {
  ok: boolean;
  checks: Check[];
}

const DEFAULT_HTTP_PORT = 8787;

/** Looks at every part and changes none. Each is looked at by itself and at the same time, so that no failure hides another. */
export async function diagnose(configured: { config: Config; mistakes: string[] }): Promise<Diagnosis> {
  // As the processes that run over it know it.
  const dataDir = await realpath(configured.config.dataDir).catch(() => configured.config.dataDir);
  const config = { ...configured.config, dataDir };
  const runtime = await findRuntime(dataDir);
  const server = findServer(config);
  /** For those who do not say why there is none. */
  const reached = server.catch(() => undefined);
  const onIt = (probe: Probe) => async () => onServer(await reached, config.taskQueue, probe);
  const checks = await Promise.all([
    check('versions', () => judgeNode(process.version, packageVersion())),
    check('system', () => judgePlatform(process.platform, process.arch)),
    check('data folder', () => probeFolder(dataDir)),
    check('configuration', () => judgeConfiguration(config, configured.mistakes)),
    check('temporal server', async () => probeServer(await server, config)),
    check('namespace', onIt(probeNamespace)),
    check('search attributes', onIt(probeSearchAttributes)),
    check('restarts', () => judgeSupervised(runtime)),
    check('store', () => probeStore(config)),
    check('worker', onIt(probeWorker)),
    check('hygiene', onIt(probeHygiene)),
    check('quarantine', onIt(probeQuarantine)),
    ...portQuestions(reached, runtime, httpPort(config)).map((question) =>
      check(`port ${question.port}`, () => probePort(question)),
    ),
    check('gmail', () => probeGoogle(config, 'gmail')),
    check('calendar', () => probeGoogle(config, 'calendar')),
    check('local mailbox', () => probeMailbox(config, runtime !== undefined)),
    check('trello', () => probeTrello(config)),
    check('model', () => probeModel(config)),
    ...checkConfigured(config),
  ]);
  await (await reached)?.connection?.close();
  return { ok: checks.every(({ status }) => status !== 'problem'), checks };
}

async function judgeConfiguration(config: Config, mistakes: string[]): Promise<Finding> {
  const all = [...mistakes];
  await loadDataConverter(config.payloadCodecPath).catch((error: Error) => all.push(error.message));
  if (all.length === 0) return ok('no mistakes');
  return problem(all.join('; '), 'Correct these variables; .env.example lists them all.');
}

function httpPort({ env }: Config): number {
  const port = Number(env['BATCHGATE_HTTP_PORT']);
  return Number.isInteger(port) && port > 0 ? port : DEFAULT_HTTP_PORT;
}
