import { recordTaskRun, startMacro, startTaskRun } from '../../src/client';
import { BatchgateError } from '../../src/contract/errors';
import type { Step } from '../../src/contract/macro';
import { createFakeAdapter } from '../../src/testing/fake-adapter';
import { confirmOpen } from '../helpers/confirm';
import { createDiary } from '../helpers/diary';
import { manyItems, startHarness, type Harness } from '../helpers/harness';
import { startHttpApi, type HttpApi } from '../helpers/http-api';
import { leftoverOf } from '../helpers/page-text';
import { useLink, visitorOf, type Visitor } from '../helpers/sign-in';

/** Every page and every refusal, in every state. None shows what is for a terminal or a program. */
let harness: Harness;
let http: HttpApi;
let ada: Visitor;

const FAILS = 'POST https://tool.example/v1/x answered 503 {"error":"busy"} at 2026-01-05T10:00:00Z.';
const HINT = '[HINT]: Run `npx batchgate doctor`, or set BATCHGATE_LOG_LEVEL.';
const tools = [
  createFakeAdapter({ items: () => manyItems(6), apply: () => Promise.resolve(), marks: new Map() }),
  createFakeAdapter({
    toolName: 'doubtful',
    items: () => manyItems(5),
    apply: ({ id: item_id }) =>
      Promise.resolve({ item_id, success: false, error: 'No answer came', outcome_unknown: true }),
  }),
  {
    ...createFakeAdapter({ toolName: 'broken', items: () => manyItems(5), apply: () => Promise.resolve() }),
    executeBatch: () => Promise.reject(new BatchgateError('ADAPTER_UNAVAILABLE', FAILS, HINT)),
  },
  {
    ...createFakeAdapter({ toolName: 'closed', items: () => [], apply: () => Promise.resolve() }),
    getTotalCount: () => Promise.reject(new BatchgateError('CREDENTIALS_INVALID', FAILS, HINT)),
  },
  createDiary().adapter,
];

beforeAll(async () => {
  harness = await startHarness({ adapters: tools });
  http = await startHttpApi(harness, { hasModel: false });
  ada = await visitorOf(http, 'admin');
});
afterAll(async () => {
  await http?.close();
  await harness?.close();
});

const start = async (domain: string, more: object = {}) =>
  (await harness.start({ domain, batch_size: 5, ...more })).operation_id;
const page = (id: string, verb = '') => `/operations/${encodeURIComponent(id)}${verb}`;

/** The operations of every state, by what became of each. */
async function operations(): Promise<Record<string, string>> {
  const { client } = harness;
  const made = {
    waiting: await start('fake', { params: { group: 'all', mark: 'Later' } }),
    failed: await start('broken'),
    doubtful: await start('doubtful'),
    cancelled: await start('fake'),
    expired: await start('fake', { idle_timeout_seconds: 1 }),
    undone: await start('fake'),
  };
  for (const id of [made.failed, made.doubtful, made.undone]) await confirmOpen(client, id);
  await http.ask('POST', `/v1/operations/${made.cancelled}/cancel`);
  // Refused ones stay in the record.
  const stale = { body: { batch: 1, attempt: 1, digest: 'ab'.repeat(32) } };
  expect((await http.ask('POST', `/v1/operations/${made.waiting}/continue`, stale)).status).toBe(409);
  await client.workflow.getHandle(made.expired).result();
  return made;
}

/** The jobs besides operations, as the paths of their pages. */
async function others(): Promise<string[]> {
  const { client, taskQueue: task_queue } = harness;
  const macro = async (name: string, steps: Step[]) =>
    (await startMacro(client, { macro: { name, steps }, session_id: name }, { task_queue })).run_id;
  const asking = await macro('asks', [
    {
      ...{ type: 'ask', prompt: 'How many?', of: 'person', output_variable: 'count' },
      output_schema: {
        type: 'object',
        properties: { how_many: { type: 'integer' } },
        required: ['how_many'],
      },
    },
  ]);
  const failing = await macro('fails', [{ type: 'fail', message: 'The folder is locked.' }]);
  await client.workflow.getHandle(failing).result();
  const contract = { expected_total: 3, stop_condition: 'all are read' };
  const { task_run_id } = await startTaskRun(client, { goal: 'Read the reports', contract }, { task_queue });
  await recordTaskRun(client, task_run_id, { completed: ['a'], failed: [{ item: 'b', reason: 'torn' }] });
  return [`/macros/${asking}`, `/macros/${failing}`, `/task-runs/${task_run_id}`, '/sessions/quiet'];
}

it('shows no code, command, notation or UTC time on any page', async () => {
  const made = await operations();
  const { url } = (
    await http.ask('POST', `/v1/operations/${made['waiting']}/links`, { body: { name: 'Cleo' } })
  ).body as { url: string };
  const used = await http.api.signInLink({ name: 'Eve', role: 'viewer' });
  const unused = await http.api.signInLink({ name: 'Eve', role: 'viewer' });
  await useLink(used);
  const pathOf = (link: string) => link.replace(http.url, '');
  const paths = [
    ...['/', '/?q=nothing+like+it', '/start', '/stats', '/start/fake/mark', '/start/diary/mark'],
    ...Object.values(made).map((id) => page(id)),
    ...(await others()),
    ...[url, used, unused].map(pathOf),
    ...['/nowhere', '/operations/none', '/macros/none', '/task-runs/none', '/gates/made.up', '/start/no/one'],
    '/%zz',
  ];
  const viewer = await visitorOf(http, 'viewer');
  for (const path of paths)
    for (const [who, seen] of [
      ['admin', await ada.visit(path)],
      ['viewer', await viewer.visit(path)],
    ] as const)
      expect([who, path, leftoverOf(seen.page)]).toEqual([who, path, undefined]);
  const stranger = await fetch(`${http.url}/`, { headers: { accept: 'text/html' } });
  expect(leftoverOf(await stranger.text())).toBeUndefined();
});

it('shows none in the refusal of a form either', async () => {
  const made = await operations();
  const forms: [string, Record<string, string>][] = [
    [page(made['waiting'] ?? '', '/continue'), { digest: 'no', decision_id: 'a' }],
    [page(made['waiting'] ?? '', '/continue'), {}],
    [page(made['waiting'] ?? '', '/continue'), { batch: 'one' }],
    [page(made['waiting'] ?? '', '/extend'), { seconds: 'ten' }],
    [page(made['waiting'] ?? '', '/extend'), { seconds: '99999999999' }],
    [page(made['waiting'] ?? '', '/complete'), {}],
    [page(made['waiting'] ?? '', '/resolve'), { item_id: 'no', outcome: 'maybe' }],
    ...['/continue', '/cancel', '/complete', '/extend', '/resolve', '/undo', '/rest', '/retry-failed'].map(
      (verb): [string, Record<string, string>] => [
        page(made['cancelled'] ?? '', verb),
        {
          reason: 'so',
          seconds: '60',
          item_id: 'item-001',
          outcome: 'failed',
          digest: 'x',
          decision_id: verb,
        },
      ],
    ),
    ['/operations/none/cancel', {}],
    ['/start/closed/mark', { group: 'all' }],
    ['/start/closed/mark/preview', { group: 'all' }],
    ['/start/fake/mark', { group: 'all', batch_size: '500' }],
    ['/start/fake/mark', { group: 'all\0' }],
    ['/start/diary/mark', { since: '2026-01-05T10:00:00Z', shift_minutes: '{' }],
    ['/macros/none/pause', {}],
    ['/sessions/quiet/messages', { text: 'Hello', message_id: 'm' }],
    ['/nowhere', {}],
  ];
  const viewer = await visitorOf(http, 'viewer');
  for (const [path, fields] of forms) {
    const answer = await ada.send(path, fields);
    expect([path, fields, answer.status < 500, leftoverOf(answer.page)]).toEqual([
      path,
      fields,
      true,
      undefined,
    ]);
    expect(leftoverOf((await viewer.send(path, fields)).page)).toBeUndefined();
  }
  const forged = await ada.send(page(made['waiting'] ?? '', '/cancel'), { form_token: 'no' });
  expect([forged.status, leftoverOf(forged.page)]).toEqual([403, undefined]);
});
