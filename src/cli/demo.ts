import { randomUUID } from 'node:crypto';
import { createInterface } from 'node:readline';
import { setTimeout as pause } from 'node:timers/promises';
import { Client } from '@temporalio/client';
import type { Command } from 'commander';
import {
  gateOf,
  getBulkStatus,
  getStatusAfter,
  getJobs,
  handleMessage,
  NO_GATE,
  startBulkOperation,
  type SeenGate,
} from '../client';
import type { Config } from '../host/config';
import { BatchgateError } from '../contract/errors';
import type { BulkOperationInput, BulkStatus } from '../contract/operation';
import { presentBatchItems, presentBulkStatus } from '../core/bulk/presenter';
import { isClosed, needsConfirmation } from '../core/bulk/transitions';
import { describeGoogleCredentials } from '../../activities/adapters/google/describe';
import { loadDataConverter } from '../host/data-converter';
import { DEMO_LABEL, hasLocalGoogle, NEWSLETTER_SENDER } from '../host/local-google/record';
import { findRuntime } from '../host/runtime-file';
import { connectClient, connectionOptions } from '../host/temporal/connection';
import type { Stack } from '../worker/stack';
import { leaveBars, showsBars, withBars } from './watch/bars';
import { visibleText } from '../core/shared/plain-text';
import { demoFolder, demoServer, startBeside } from './demo-server';
import { io, readConfig } from './io';
import { localReader, note, print, printJson } from './output';
import { createTalk, type Talk } from './chat/talk';
import { hasModel, serveStack } from './serve';
import { atTerminal, keepShown } from './operation/shown-gate';
import { bold } from './style';
import { interruption, keepPrivate } from './staying';
import { verb } from './verb';
import { withoutPrefix } from '../core/shared/agent-errors';

const SESSION = 'demo';
const LOOK_INTERVAL_MS = 500;
const LINE_THERE_MS = 200;

interface DemoFlags {
  domain: string;
  sender?: string;
  label?: string;
}

export function addDemoVerb(program: Command): void {
  verb(
    program,
    'demo',
    'up, then label the emails of one sender, question by question',
    async (json, flags: DemoFlags) => {
      const interrupt = interruption();
      const server = flags.domain === 'gmail' ? undefined : demoServer(flags.domain);
      const config = server ? demoFolder(readConfig(), flags.domain) : readConfig();
      if (!server) await needMailbox(config);
      const stack =
        (await attach(config)) ?? (await (server ? startBeside(server, config, start) : start(config)));
      const http = await serveStack(config, stack);
      try {
        await Promise.race([interrupt, stack.ended, converse(stack, flags, json, hasModel(config))]);
      } finally {
        const waiting = server ? [] : await stillWaiting(stack);
        await http?.close();
        await stack.stop();
        waiting.forEach((line) => note(line));
        // A writer may keep the pipe open; nothing more is read from it.
        io().stdin.destroy();
      }
    },
  )
    .option('--domain <name>', 'gmail; or imap or caldav, on a server of its own on this machine', 'gmail')
    .option('--sender <address>', 'whose emails; required with a real account')
    .option('--label <name>', 'the label, created if it is missing', DEMO_LABEL);
}

/** An installed package has no local mailbox, so the demo needs a real one. */
async function needMailbox(config: Config): Promise<void> {
  if (hasLocalGoogle()) return;
  const { source, detail, remedy = '' } = await describeGoogleCredentials(config, 'gmail');
  if (source !== 'none') return;
  throw new BatchgateError('NOT_CONFIGURED', `The demo has no mailbox: ${detail}.`, remedy);
}

async function start(config: Config): Promise<Stack> {
  keepPrivate();
  const { startStack } = await import('../worker/stack.js');
  return startStack(config, note);
}

/** Uses an `up` that is already running, and leaves it running. */
async function attach(config: Config): Promise<Stack | undefined> {
  const runtime = await findRuntime(config.dataDir);
  if (!runtime) return undefined;
  const { options } = connectionOptions(config.env);
  const connection = await connectClient({ address: runtime.temporal_address, options }).catch(
    () => undefined,
  );
  if (!connection) return undefined;
  note(`Using the batchgate that is already running (pid ${runtime.pid}).`);
  const dataConverter = await loadDataConverter(config.payloadCodecPath);
  return {
    client: new Client({ connection, namespace: runtime.namespace, dataConverter }),
    taskQueue: config.taskQueue,
    runtime,
    localMailbox: runtime.mailbox_url !== undefined && config.gmailBaseUrl === undefined,
    shared: true,
    publishHttp: () => Promise.resolve(),
    ended: new Promise(() => undefined),
    stop: () => connection.close(),
  };
}

/** Begins with the interrupted operations, or else with a new one. Then each line is one turn of conversation. */
async function converse(
  stack: Stack,
  flags: DemoFlags,
  json: boolean,
  withAssistant: boolean,
): Promise<void> {
  const { client, taskQueue: task_queue } = stack;
  const talk = withAssistant ? createTalk(client, { session: SESSION, task_queue, json }) : undefined;
  if (talk) note('The assistant is ready: say what you want, and it plans a bulk operation.');
  const queue = await ownOperations(stack);
  if (queue.length > 0) note(`Interrupted: ${queue.length} operation(s) continue where they stopped.`);
  let status = queue.length > 0 ? await nextQuestion(client, queue, json) : undefined;
  status ??= await startBulkOperation(client, demoInput(stack, flags), {
    ...{ task_queue, onWaiting: note },
    via: 'terminal',
  });
  say(status, json);
  const lines = createInterface({ input: io().stdin, terminal: false })[Symbol.asyncIterator]();
  let at: Asked = { status, asked: gateOf(status) };
  for (;;) {
    const ended = isClosed(at.status.state);
    const next = await (ended && !io().stdin.isTTY ? nextIfThere(lines) : lines.next());
    if (next.done) break;
    const line = next.value;
    if (line.trim() === '') continue;
    at = await answer(stack, at, line, json, talk);
    if (!isClosed(at.status.state)) continue;
    const open = await nextQuestion(client, queue, json);
    if (open) {
      at = { status: open, asked: gateOf(open) };
      say(open, json);
    } else tellTheEnd(at.status);
  }
  if (isClosed(at.status.state) && io().stdin.isTTY) await stack.ended;
}

/** A pipe may stay open after its last line: once all operations have ended, only lines that have arrived count. */
async function nextIfThere(lines: AsyncIterator<string>): Promise<IteratorResult<string>> {
  const nothing = pause(LINE_THERE_MS, { value: '', done: true as const });
  return Promise.race([lines.next(), nothing]);
}

/** Prints the options of a person after everything has ended. */
function tellTheEnd({ succeeded, undoes }: BulkStatus): void {
  if (succeeded > 0)
    note(undoes === undefined ? "Say 'undo' to take it back." : "Say 'undo' to make the change again.");
  if (io().stdin.isTTY) note('Everything is done. The server and the worker stay up until Ctrl-C.');
}

/** The live operations, oldest first; on a shared server only the demo's own, so that a yes decides no others. */
async function ownOperations({ client, taskQueue, shared }: Stack): Promise<string[]> {
  const jobs = await getJobs(client, taskQueue);
  const own = jobs.filter(
    ({ kind, session_id }) => kind === 'bulk_operation' && (!shared || session_id === SESSION),
  );
  return own.map(({ job_id }) => job_id);
}

function demoInput({ localMailbox }: Stack, flags: DemoFlags): BulkOperationInput {
  const { domain, sender, label = DEMO_LABEL } = flags;
  const everyDemo = { batch_size: 10, session_id: SESSION, requested_by: 'demo' };
  if (domain !== 'gmail') return { domain, ...demoServer(domain).input(label, sender), ...everyDemo };
  if (!localMailbox && sender === undefined) {
    throw new BatchgateError(
      'INVALID_INPUT',
      'A real account is configured, but the demo does not know whose emails to label.',
      'Run `npx batchgate demo --sender ADDRESS --label NAME`.',
    );
  }
  return {
    domain: 'gmail',
    action: 'label',
    params: { sender: sender ?? NEWSLETTER_SENDER, label_name: label, create_label: true },
    ...everyDemo,
  };
}

/** The next interrupted operation with an open question. Those that have ended meanwhile are reported and dropped. */
async function nextQuestion(client: Client, queue: string[], json: boolean): Promise<BulkStatus | undefined> {
  for (let id = queue.shift(); id !== undefined; id = queue.shift()) {
    const status = await atQuestion(client, id);
    if (!isClosed(status.state)) return status;
    say(status, json);
  }
  return undefined;
}

/** Waits for a question. A batch whose worker died is abandoned after a while, and asked for again. */
async function atQuestion(client: Client, id: string): Promise<BulkStatus> {
  for (let looks = 0; ; looks++) {
    const status = await getBulkStatus(client, id);
    const isOver = isClosed(status.state) || status.state === 'scheduled';
    if (isOver || needsConfirmation(status.state)) return status;
    if (looks === 0) note(`${id}: ${visibleText(status.message)} Waiting for it to end.`);
    await pause(LOOK_INTERVAL_MS);
  }
}

/** An operation, and the question that a person was asked last. */
interface Asked {
  status: BulkStatus;
  asked: SeenGate | undefined;
}

async function answer(
  { client, taskQueue: task_queue }: Stack,
  { status, asked }: Asked,
  line: string,
  json: boolean,
  talk: Talk | undefined,
): Promise<Asked> {
  const turn = await withBars(client, showsBars(json) ? status : undefined, () =>
    handleMessage(client, status.session_id ?? SESSION, line.replace(/^\uFEFF/, ''), {
      message_id: randomUUID(),
      operation_id: status.operation_id,
      task_queue,
      by: 'terminal',
      seen: asked ?? NO_GATE,
      ...atTerminal,
    }),
  );
  if (!turn.handled && talk) {
    await talk.say(line, Date.now());
    const planned = talk.waiting();
    return planned === undefined || planned.operation_id === status.operation_id
      ? { status, asked }
      : { status: planned, asked: gateOf(planned) };
  }
  if (!turn.handled) {
    note(
      isClosed(status.state)
        ? "The operation has ended. Say 'undo' to take it back."
        : 'That is not about the operation, which is still waiting.',
    );
    if (isClosed(status.state)) return { status, asked };
    say(status, json, presentBulkStatus(status), '');
    return { status, asked };
  }
  const after = turn.status ? await getStatusAfter(client, turn.status) : status;
  if (turn.intent === 'continue' && !turn.error && showsBars(json)) leaveBars(after);
  // A refused answer was for another question, so the open one is asked.
  const open = turn.error && after.needs_confirmation ? after : undefined;
  say(after, json, open ? `${turn.reply}\n${presentBulkStatus(open)}` : turn.reply);
  if (after.state === 'batch_failed' && after.error) note(visibleText(withoutPrefix(after.error.message)));
  const now = open ? gateOf(open) : turn.asked;
  return { status: after, asked: now };
}

/** Prints one turn: a sentence for the person, and as JSON the status of its operation. */
function say(
  status: BulkStatus,
  json: boolean,
  sentence = presentBulkStatus(status),
  items = presentBatchItems(status, localReader()),
): void {
  const write = json ? note : print;
  keepShown(status);
  const asks = items !== '' && sentence.includes(presentBulkStatus(status));
  if (asks && !sentence.startsWith(items)) write(items);
  const waits = status.needs_confirmation ? bold : (text: string) => text;
  write(waits(visibleText(sentence), json ? io().stderr : io().stdout));
  if (json) printJson(status);
}

/** Lists the operations that still wait, for a person who leaves. */
async function stillWaiting(stack: Stack): Promise<string[]> {
  try {
    const ids = await ownOperations(stack);
    const statuses = await Promise.all(ids.map((id) => getBulkStatus(stack.client, id)));
    const live = statuses.filter(({ state }) => !isClosed(state));
    if (live.length === 0) return [];
    const lines = live.map(
      ({ operation_id, message }) => `  ${operation_id}: ${visibleText(message).split('\n')[0]}`,
    );
    return [
      'Still waiting for a person:',
      ...lines,
      'Run `npm start` again to go on; a question expires an hour after it was asked.',
    ];
  } catch {
    return [];
  }
}
