import { realpath } from 'node:fs/promises';
import { Client } from '@temporalio/client';
import type { Config } from '../../host/config';
import { BatchgateError } from '../../contract/errors';
import { loadDataConverter } from '../../host/data-converter';
import { refusePolicies } from '../../host/policies';
import { findRuntime, type Runtime } from '../../host/runtime-file';
import { packageVersion } from '../../host/version';
import { check, ok, problem, type Check, type Finding, warning } from './check';
import { PORT } from '../origin';
import { checkConfigured, probeStore } from './configured';
import { judgeNode, judgePlatform, probeFolder } from './machine';
import { probeModel } from './model';
import { portQuestions, probePort } from './ports';
import {
  findServer,
  onServer,
  probeNamespace,
  probeSearchAttributes,
  probeServer,
  probeWorker,
  type Probe,
} from './temporal';
import { describeGoogleCredentials, isLocal } from '../../../activities/adapters/google/describe';
import { GOOGLE_SERVICES, type GoogleService } from '../../../activities/adapters/google/services';
import { describeServer } from '../../../activities/adapters/shared/server-account';
import { describeTrelloCredentials } from '../../../activities/adapters/trello/access';
import { hasLocalGoogle, mailboxRecord } from '../../host/local-google/record';
import { hygieneScheduleId } from '../../contract/hygiene';
import { GRPC, hasGrpcCode } from '../../host/temporal/failure';
import { lookUpHygieneSchedule } from '../../host/temporal/hygiene-schedule';
import { oneLine } from '../../core/shared/plain-text';
import { findQuarantined, missingReceivers } from '../../client';

export type { Check } from './check';

export interface Diagnosis {
  ok: boolean;
  checks: Check[];
}

/** Checks every part and changes none. The checks are separate and concurrent, so that no failure hides another. */
export async function diagnose(configured: { config: Config; mistakes: string[] }): Promise<Diagnosis> {
  // The processes of this folder use its resolved path.
  const dataDir = await realpath(configured.config.dataDir).catch(() => configured.config.dataDir);
  const config = { ...configured.config, dataDir };
  const runtime = await findRuntime(dataDir);
  const server = findServer(config);
  /** For checks that do not report why there is none. */
  const reachable = server.catch(() => undefined);
  const onIt = (probe: Probe) => async () => onServer(await reachable, config.taskQueue, probe);
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
    check('webhooks', onIt(probeReceivers(config))),
    ...portQuestions(reachable, runtime, config.httpPort || PORT).map((question) =>
      check(`port ${question.port}`, () => probePort(question)),
    ),
    check('gmail', () => probeGoogle(config, 'gmail')),
    check('calendar', () => probeGoogle(config, 'calendar')),
    check('local mailbox', () => probeMailbox(config, runtime !== undefined)),
    check('trello', () => probeTrello(config)),
    check('imap', () => judgeServer(describeServer(config, 'imap'), 'docs/imap.md')),
    check('caldav', () => judgeServer(describeServer(config, 'caldav'), 'docs/caldav.md')),
    check('model', () => probeModel(config)),
    ...checkConfigured(config),
  ]);
  await (await reachable)?.connection?.close();
  return { ok: checks.every(({ status }) => status !== 'problem'), checks };
}

async function judgeConfiguration(config: Config, mistakes: string[]): Promise<Finding> {
  const all = [...mistakes];
  await loadDataConverter(config.payloadCodecPath).catch((error: Error) => all.push(error.message));
  try {
    refusePolicies(config);
  } catch (error) {
    if (!(error instanceof BatchgateError)) throw error;
    all.push(...(error.details as string[]));
  }
  if (all.length === 0) return ok('no mistakes');
  return problem(
    all.join('; '),
    'Correct these variables (.env.example lists them all) and fields of the configuration file.',
  );
}

/** Not using Google is not a problem, unless an address for it is configured. */
async function probeGoogle(config: Config, service: GoogleService): Promise<Finding> {
  const credentials = await describeGoogleCredentials(config, service);
  const { source, detail, remedy = `Read docs/${service}.md.` } = credentials;
  if (credentials.ok) return ok(detail);
  const { baseUrl } = GOOGLE_SERVICES[service];
  if (source === 'none' && baseUrl(config) === undefined) return ok(`${detail}. ${remedy}`);
  // Using one of Google's services does not require the others.
  return credentials.elsewhere ? warning(`not allowed: ${detail}`, remedy) : problem(detail, remedy);
}

async function probeMailbox(config: Config, upRuns: boolean): Promise<Finding> {
  const local = await Promise.all([isLocal(config, 'gmail'), isLocal(config, 'calendar')]);
  if (!local.includes(true))
    return ok(hasLocalGoogle() ? 'not needed: Google is configured' : 'not part of an installed package');
  const running = await mailboxRecord(config.dataDir).read();
  if (running !== undefined) return ok(`${running.url} (process ${running.pid})`);
  if (!upRuns) return ok('starts with `up`');
  return warning(
    '`up` is running, but its mailbox is not',
    'Read mailbox.log in the data folder; `up` starts it again.',
  );
}

const probeHygiene: Probe = async (connection, namespace, taskQueue) => {
  const id = hygieneScheduleId(taskQueue);
  try {
    const schedule = await lookUpHygieneSchedule(connection, namespace, id);
    if (schedule === undefined) {
      return warning(
        `there is no schedule ${id}, so idle data is kept`,
        'Start a worker whose credentials may create schedules: it makes this one.',
      );
    }
    const { paused, note, next } = schedule;
    // A person paused it on purpose.
    if (paused) return ok(`schedule ${id}, paused${note === undefined ? '' : ` (${note})`}`);
    return ok(`schedule ${id}${next === undefined ? '' : `, next at ${next.toISOString()}`}`);
  } catch (error) {
    if (!hasGrpcCode(error, GRPC.permissionDenied, GRPC.unauthenticated, GRPC.unimplemented)) throw error;
    return warning(
      `the schedule ${id} cannot be read with these credentials`,
      'Ask the administrator of the namespace.',
    );
  }
};

const NAMED = 5;

/** Reports runs whose workflow task keeps failing. They answer no request, and may hold a slot. */
export const probeQuarantine: Probe = async (connection, namespace, taskQueue): Promise<Finding> => {
  const runs = await findQuarantined(new Client({ connection, namespace }), taskQueue);
  if (runs.length === 0) return ok('no run is quarantined');
  const descriptions = runs
    .slice(0, NAMED)
    .map(
      ({ workflow_id, type, failures, reason }) =>
        `${workflow_id} (${type}, ${failures} failures): ${reason}`,
    );
  const more = runs.length > NAMED ? `; and ${runs.length - NAMED} more` : '';
  return problem(
    `${runs.length} quarantined: ${descriptions.join('; ')}${more}`,
    'Fix what the reason names, such as a missing codec, or run `npx batchgate end ID --reason "…"`.',
  );
};

/** Reports receivers that the settings no longer name, and whose messages therefore wait. */
const probeReceivers =
  ({ file }: Config): Probe =>
  async (connection, namespace, taskQueue) => {
    const names = file.webhooks.map(({ name }) => name);
    const missing = await missingReceivers(new Client({ connection, namespace }), names, taskQueue);
    if (missing.size === 0) return ok(names.length === 0 ? 'no receiver is configured' : names.join(', '));
    const receivers = [...missing]
      .map(([name, count]) => `'${oneLine(name)}' (${count} operations)`)
      .join(', ');
    return warning(
      `messages wait for receivers that batchgate.config.json does not name: ${receivers}`,
      'Name them again, or run `npx batchgate webhooks move --target NAME --to OTHER` or `npx batchgate webhooks cancel --target NAME`.',
    );
  };

/** Reports the parts that `up` had to start again. */
function judgeSupervised(runtime: Runtime | undefined): Finding {
  if (runtime === undefined) return ok('`up` does not run here');
  const parts = runtime.supervised ?? [];
  const why = ({ ended_at = '', reason = '' }) => `${ended_at}, ${reason}`;
  const remedy = 'Read temporal.log and mailbox.log in the data folder, and what `up` printed.';
  const away = parts.filter(({ state }) => state === 'restarting');
  if (away.length > 0) {
    const texts = away.map((part) => `the ${part.name} ended and is being started again (${why(part)})`);
    return problem(texts.join('; '), remedy);
  }
  const again = parts.filter(({ restarts }) => restarts > 0);
  if (again.length === 0) return ok('nothing had to be started again');
  const texts = again.map((part) => `the ${part.name} ${part.restarts} time(s), last after ${why(part)}`);
  return warning(`\`up\` started again: ${texts.join('; ')}`, remedy);
}

/** Not using Trello is not a problem. */
async function probeTrello(config: Config): Promise<Finding> {
  const { source, detail, remedy = 'Read docs/trello.md.' } = await describeTrelloCredentials(config);
  if (source === 'none') return ok(`${detail}. ${remedy}`);
  return source === 'unusable' ? problem(detail, remedy) : ok(detail);
}

/** Not using such a server is not a problem. */
function judgeServer(
  { ok: isUsable, detail, remedy }: ReturnType<typeof describeServer>,
  page: string,
): Finding {
  if (!isUsable) return problem(detail, remedy ?? `Read ${page}.`);
  return ok(remedy === undefined ? detail : `${detail} ${remedy}`);
}
