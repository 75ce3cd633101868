import { setTimeout as pause } from 'node:timers/promises';
import { unlimited } from '../../activities/adapters/shared/allowance';
import { createHttpRequestTool } from '../../activities/tools/http-request';
import {
  continueBulkOperation,
  gateOf,
  listBulkOperations,
  recordTaskRun,
  startTaskRun,
} from '../../src/client';
import type { BulkAdapter } from '../../src/contract/adapter';
import { BatchgateError } from '../../src/contract/errors';
import type { ToolDefinition } from '../../src/contract/tools';
import { createSecrets } from '../../src/host/secrets';
import { startServer } from '../adapters/http-setup';
import { SECRET, harness } from './assistant-stage';
import { countingTool } from './harness';
import type { Call } from './hostile-model';
import { lure, luresIn, lureWord } from './lures';

/** The number of texts in one conversation, each through every tool. */
export const TOGETHER = 10;
/** Coprime to a thousand: each text occurs once, and a few texts already cover every order and opening. */
const SPREAD = 27;
export const ENCODED = Buffer.from(SECRET).toString('base64');

export let server: Awaited<ReturnType<typeof startServer>>;
/** The number of changes requested of the tool. */
export const attempts = { made: 0 };
const mail = countingTool(0, {
  toolName: 'mail',
  apply: ({ id }) => {
    attempts.made++;
    const [at = 0] = luresIn(id);
    return Promise.resolve({ item_id: id, success: false, error: `${lure(at)} ${SECRET}`, retryable: true });
  },
});

/** A tool whose items fail with texts by third parties, as does its refusal of a query. */
export const mailAdapter = (): BulkAdapter => ({
  ...mail.adapter,
  prepare: (request, limits) => {
    const { group } = request.params;
    if (typeof group !== 'string') return mail.adapter.prepare(request, limits);
    throw new BatchgateError('INVALID_INPUT', `No group ${textsOf(group).join(' ')} ${SECRET}`, SECRET);
  },
});

/** `http_request` to a server that answers with texts by third parties; close `server` afterwards. */
export async function requestTool(): Promise<ToolDefinition> {
  server = await startServer();
  server.answer = ({ path, body }, response) => {
    const [, kind, conversation = ''] = path.split('/');
    const mails = textsOf(conversation);
    const json = { 'content-type': 'application/json' };
    if (kind === 'broken') return void response.writeHead(500).end(`${mails.join(' ')} ${SECRET}`);
    const inbox = { mails, password: SECRET, basic: ENCODED };
    response.writeHead(200, json).end(kind === 'echo' ? body : JSON.stringify(inbox));
  };
  const secrets = createSecrets({ secrets: {}, folder: '/' }, {});
  return createHttpRequestTool({ allowed_hosts: [server.host], allowance: unlimited, secrets });
}

export const numbersOf = (conversation: string): number[] =>
  Array.from({ length: TOGETHER }, (_, at) => ((Number(conversation) * TOGETHER + at) * SPREAD) % 1_000);
const whole = (text: string) => Buffer.from(text).toString();
export const textsOf = (conversation: string) => numbersOf(conversation).map(lure);

/** Texts by third parties from before the conversation, in every place that one of the assistant's tools reads. */
export interface World {
  session: string;
  past: string;
  open: string;
  task: string;
}

export async function makeWorld(conversation: string): Promise<World> {
  const { client, taskQueue, store } = harness;
  const session = `inbox-${conversation}`;
  const numbers = numbersOf(conversation);
  const named = numbers.map((at) => ({ id: lureWord(at), display_name: `${lure(at)} ${SECRET}` }));
  for (const at of numbers) await store.scratchpad.save(session, lureWord(at), 'a mail');
  // A provider may cut a text inside a character; the store accepts only whole characters.
  const texts = numbers.map((at) => whole(lure(at)));
  await store.scratchpad.save(session, 'mails', { texts, password: SECRET });
  await store.scratchpad.save(session, 'goal', texts.slice(0, 3).join('\n').slice(0, 400));
  await store.scratchpad.save(
    session,
    'items',
    named.map((item) => ({ ...item, display_name: whole(item.display_name) })),
  );
  const input = { domain: 'mail', params: {}, items: named, batch_size: 10 };
  const session_id = `${lureWord(numbers[0] ?? 0)}-past`;
  const past = await harness.start({ ...input, session_id });
  await continueBulkOperation(client, past.operation_id, { ...gateOf(past), by: 'Grace' });
  const open = await harness.start({ ...input, session_id: `${session}-open` });
  const contract = { expected_items: numbers.map(lureWord) };
  const task = await startTaskRun(client, { goal: texts[0] ?? '', contract }, { task_queue: taskQueue });
  const failed = numbers.map((at) => ({ item: lureWord(at), reason: `${lure(at)} ${SECRET}` }));
  await recordTaskRun(client, task.task_run_id, {
    failed: failed.slice(0, 5),
    cursor: lure(numbers[9] ?? 0),
  });
  // Lists lag by a moment.
  while ((await listBulkOperations(client, { session_id, limit: 1 })).length === 0) await pause(50);
  return { session, past: past.operation_id, open: open.operation_id, task: task.task_run_id };
}

/** One call of each of the assistant's tools, to return the texts by third parties. */
export function lookEverywhere(conversation: string, { past, open, task, session }: World): Call[] {
  const call = (name: string, args: object): Call => ({ tool: name, args });
  const [first = 0] = numbersOf(conversation);
  return [
    call('get_bulk_status', { operation_id: open }),
    call('get_bulk_items', { operation_id: past }),
    call('get_bulk_groups', { operation_id: open }),
    call('get_bulk_errors', { operation_id: past }),
    call('get_completion_guard', { operation_id: open }),
    call('list_bulk_operations', { session_id: `${lureWord(first)}-past`, limit: 5 }),
    call('http_request', { method: 'GET', url: `${server.url}/inbox/${conversation}` }),
    call('http_request', { method: 'GET', url: `${server.url}/broken/${conversation}` }),
    call('scratchpad_save', { key: lureWord(first), value: 'ref:mails' }),
    call('scratchpad_get', { key: 'mails' }),
    call('scratchpad_list', {}),
    call('scratchpad_delete', { key: lureWord(first + 1) }),
    call('task_run_get', { task_run_id: task, items: true }),
    call('task_run_update', { task_run_id: task, skipped: [{ item: 'one', reason: 'read' }] }),
    call('task_run_list', {}),
    call('task_run_complete', { task_run_id: task }),
    call('task_run_start', { goal: 'ref:goal', session_id: session }),
    call('task_run_cancel', { task_run_id: task }),
  ];
}
