import { UPDATES, SIGNALS } from '../../src/contract/messages';
import { createFakeAdapter } from '../../src/testing/fake-adapter';
import { countingTool, manyItems, startHarness, type Harness } from '../helpers/harness';
import { startHttpApi, type HttpApi } from '../helpers/http-api';
import { caughtUp, lookAgain } from '../helpers/look-again';

let harness: Harness;
let http: HttpApi;
const tool = countingTool(25);
/** The tool's marks by item id. */
const marks = new Map([['item-001', 'done']]);
const marked = createFakeAdapter({
  ...{ toolName: 'marked', marks, items: () => manyItems(6) },
  apply: () => Promise.resolve(),
});

beforeAll(async () => {
  harness = await startHarness({ adapters: [tool.adapter, marked] });
  http = await startHttpApi(harness);
});
afterAll(async () => {
  await http?.close();
  await harness?.close();
});

const input = { domain: 'fake', action: 'mark', params: { group: 'all' } };
const start = async (more: object = {}) => {
  const { status, body } = await http.ask('POST', '/v1/operations', { body: { ...input, ...more } });
  expect(status).toBe(201);
  return body;
};
const gate = ({ next_batch: { number, attempt, digest } }: any) => ({ batch: number, attempt, digest });

describe('an operation over HTTP', () => {
  it('runs from its start to its report, one batch for each confirmation', async () => {
    const { operation_id, ...begun } = await start({ session_id: 'crm:7', requested_by: 'Ada' });
    expect(begun).toMatchObject({ state: 'awaiting_confirmation', total: 25, processed: 0 });
    const path = `/v1/operations/${operation_id}`;
    for (const processed of [10, 20, 25]) {
      const { body: status } = await http.ask('GET', path);
      const { status: code, body: turn } = await http.ask('POST', `${path}/continue`, {
        body: { ...gate(status), by: 'Ada' },
      });
      expect([code, turn.processed]).toEqual([200, processed]);
    }
    const { body: ended } = await http.ask('GET', path);
    expect(ended).toMatchObject({ state: 'completed', succeeded: 25 });
    expect(ended.confirmations).toHaveLength(3);
    expect(ended.confirmations[0]).toMatchObject({ by: 'Ada', via: 'update', assurance: 'asserted' });
    const { body: report } = await http.ask('GET', `${path}/report`);
    expect(report.rows).toHaveLength(25);
    const csv = await http.ask('GET', `${path}/report?format=csv`);
    expect(csv.headers.get('content-type')).toBe('text/csv; charset=utf-8');
    expect(csv.body.split('\n').slice(0, 2)).toEqual([
      'id,display_name,batch,outcome,error,confirmed_by,confirmed_at,finished_at,confirmed_via,confirmed_assurance,asked_at,waited_seconds,confirmed_in,shown_at,read_seconds',
      expect.stringMatching(/^item-001,Item 1,1,succeeded,,Ada,.*,update,asserted,2.*Z,[\d.]+,http,,$/),
    ]);
    const lines = (await http.ask('GET', `${path}/report?format=jsonl`)).body.trim().split('\n');
    expect(lines.map((line: string) => JSON.parse(line))).toEqual(report.rows);
    expect((await http.ask('GET', `${path}/report?format=md`)).body).toContain('| item-001 | Item 1 |');
    const { body: progress } = await http.ask('GET', `${path}/progress`);
    expect(progress.completed).toHaveLength(25);
    const { body: guard } = await http.ask('GET', `${path}/guard`);
    expect(guard.allowed).toBe(true);
    const first = await http.ask('GET', `${path}/items?limit=20`);
    const rest = await http.ask('GET', `${path}/items?limit=20&cursor=${first.body.next_cursor}`);
    expect(new Set([...first.body.items, ...rest.body.items].map(({ id }) => id)).size).toBe(25);
    expect(rest.body).not.toHaveProperty('next_cursor');
    const errors = await http.ask('GET', `${path}/errors`);
    expect(errors.body).toMatchObject({ items: [], total: 0 });
    const again = await http.ask('POST', `${path}/retry-failed`);
    expect([again.status, again.body.code]).toEqual([400, 'INVALID_INPUT']);
  });

  it('previews, starts exactly what was previewed, and undoes it', async () => {
    const asked = { ...input, domain: 'marked', batch_size: 6 };
    const { body: preview } = await http.ask('POST', '/v1/previews', { body: asked });
    expect(preview).toMatchObject({ total: 6, already: 1, batches_total: 1 });
    expect(preview.items[1]).toMatchObject({
      id: 'item-002',
      before: { mark: null },
      after: { mark: 'done' },
    });
    expect([...marks.keys()]).toEqual(['item-001']);
    const other = { ...asked, params: { ...input.params, mark: 'later' }, expect_digest: preview.digest };
    const refused = await http.ask('POST', '/v1/operations', { body: other });
    expect([refused.status, refused.body.code]).toEqual([409, 'CHANGED_SINCE_PREVIEW']);
    const { operation_id, ...begun } = await start({ ...asked, expect_digest: preview.digest });
    const path = `/v1/operations/${operation_id}`;
    const early = await http.ask('POST', `${path}/undo`);
    expect([early.status, early.body.code]).toEqual([400, 'INVALID_INPUT']);
    await http.ask('POST', `${path}/continue`, { body: gate(begun) });
    expect(marks.size).toBe(6);
    const { status: code, body: undo } = await http.ask('POST', `${path}/undo`);
    expect([code, undo.total, undo.undoes]).toEqual([201, 5, operation_id]);
    expect((await http.ask('POST', `${path}/undo`)).body.operation_id).toBe(undo.operation_id);
    await http.ask('POST', `/v1/operations/${undo.operation_id}/continue`, { body: gate(undo) });
    expect([...marks.keys()]).toEqual(['item-001']);
    const { body: report } = await http.ask('GET', `${path}/report`);
    expect(report.rows[1]).toMatchObject({ id: 'item-002', after: { mark: 'done' } });
    expect((await http.ask('GET', path)).body.undone_by).toBe(undo.operation_id);
  });

  it('accepts the other decisions of a person', async () => {
    const { operation_id } = await start();
    const path = `/v1/operations/${operation_id}`;
    const extended = await http.ask('POST', `${path}/extend`, { body: { seconds: 90_000 } });
    expect(Date.parse(extended.body.expires_at)).toBeGreaterThan(Date.now() + 80_000_000);
    const blocked = await http.ask('POST', `${path}/complete`);
    expect([blocked.status, blocked.body.code, blocked.body.details.allowed]).toEqual([
      409,
      'GUARD_BLOCKED',
      false,
    ]);
    const unknown = { item_id: 'item-001', outcome: 'failed', reason: 'seen' };
    const resolved = await http.ask('POST', `${path}/resolve`, { body: unknown });
    expect([resolved.status, resolved.body.code]).toEqual([400, 'INVALID_INPUT']);
    const cancelled = await http.ask('POST', `${path}/cancel`, { body: { reason: 'enough' } });
    expect(cancelled.body.state).toBe('cancelled');
    const late = await http.ask('POST', `${path}/continue`);
    expect([late.status, late.body.code]).toEqual([409, 'OPERATION_CLOSED']);
    const forced = (await start()).operation_id;
    const body = { force: true, reason: 'done by hand' };
    expect((await http.ask('POST', `/v1/operations/${forced}/complete`, { body })).body.allowed).toBe(true);
  });

  it('answers at once with a link if the caller prefers not to wait', async () => {
    const status = await start();
    const path = `/v1/operations/${status.operation_id}`;
    const headers = { prefer: 'respond-async' };
    const taken = await http.ask('POST', `${path}/continue`, { body: gate(status), headers });
    expect([200, 202]).toContain(taken.status);
    expect(taken.headers.get('preference-applied')).toBe('respond-async');
    const stale = await http.ask('POST', `${path}/continue`, {
      body: { ...gate(status), digest: 'another' },
      headers,
    });
    expect(stale.status).toBe(409);
    await harness.client.workflow.getHandle(status.operation_id).cancel();
  });

  it('lists by state and session, a page at a time', async () => {
    const ids: string[] = [];
    for (let at = 0; at < 3; at++) ids.push((await start({ session_id: `list:${at}` })).operation_id);
    await caughtUp(async () => {
      const all: string[] = [];
      let cursor = '';
      do {
        const { body } = await http.ask('GET', `/v1/operations?state=awaiting_confirmation&limit=1${cursor}`);
        all.push(...body.items.map((row: any) => row.operation_id));
        cursor = body.next_cursor === undefined ? '' : `&cursor=${body.next_cursor}`;
      } while (cursor !== '');
      expect(all).toEqual(expect.arrayContaining(ids));
    });
    const one = await http.ask('GET', '/v1/operations?session_id=list:1');
    expect(one.body.items.map((row: any) => row.operation_id)).toEqual([ids[1]]);
    const wrong = await http.ask('GET', '/v1/operations?cursor=nonsense');
    expect([wrong.status, wrong.body.code]).toEqual([400, 'INVALID_INPUT']);
    for (const id of ids) await http.ask('POST', `/v1/operations/${id}/cancel`);
  });

  it('answers mistakes with problem documents that say what to do', async () => {
    const missing = await http.ask('GET', '/v1/operations/bulk-none');
    expect(missing.headers.get('content-type')).toContain('application/problem+json');
    expect(missing.body).toMatchObject({ status: 404, code: 'NOT_FOUND', title: 'Not Found' });
    expect(missing.body.hint).not.toBe('');
    const wrong = await http.ask('POST', '/v1/operations', { body: { ...input, batch_size: 'ten' } });
    expect([wrong.status, wrong.body.code]).toEqual([400, 'INVALID_INPUT']);
    expect(wrong.body.message).toContain('batch_size');
    const adapter = await http.ask('POST', '/v1/operations', { body: { ...input, domain: 'fax' } });
    expect([adapter.status, adapter.body.code]).toEqual([400, 'UNKNOWN_ADAPTER']);
    for (const list of ['operations', 'macros', 'task-runs']) {
      const { status, body } = await http.ask('GET', `/v1/${list}?session_id=%27a%00b`);
      expect([status, body.code, body.message]).toEqual([
        ...[400, 'INVALID_INPUT', expect.stringContaining('session_id')],
      ]);
    }
    const nowhere = await http.ask('GET', '/v1/nothing');
    expect([nowhere.status, nowhere.body.code]).toEqual([404, 'NOT_FOUND']);
    const broken = await fetch(`${http.url}/v1/operations`, {
      method: 'POST',
      headers: { authorization: `Bearer ${await http.key('admin')}`, 'content-type': 'application/json' },
      body: '{',
    });
    expect([broken.status, ((await broken.json()) as any).code]).toEqual([400, 'INVALID_INPUT']);
  });
});

const UNANSWERED = 'TEMPORAL_UNAVAILABLE';
/** CANCELLED, DEADLINE_EXCEEDED, RESOURCE_EXHAUSTED and UNAVAILABLE of gRPC. */
const BUSY = [1, 4, 8, 14];

it('runs one batch when 200 clients confirm the same question at once, and tells each caller what happened', async () => {
  const before = tool.touched.get('item-001') ?? 0;
  const status = await start();
  const { operation_id } = status;
  const handle = harness.client.workflow.getHandle(operation_id);
  const confirmations = Array.from({ length: 200 }, (_, at) => {
    const body = { ...gate(status), by: `client ${at}` };
    if (at % 4 === 1) return handle.signal(SIGNALS.continue, body).then(() => 'sent');
    if (at % 4 === 2)
      return handle.executeUpdate(UPDATES.continue, { args: [body] }).then(
        () => 'ran',
        ({ message, cause }: any) => cause?.type ?? (BUSY.includes(cause?.code) ? UNANSWERED : message),
      );
    return http
      .ask('POST', `/v1/operations/${operation_id}/continue`, { body })
      .then(({ status: code, body: answer }) => (code === 200 ? 'ran' : answer.code));
  });
  const outcomes = await Promise.all(confirmations);
  // A signal may have won, whose sender waits for no batch.
  let after = await harness.status(operation_id);
  while (after.state === 'running_batch') {
    await lookAgain();
    after = await harness.status(operation_id);
  }
  expect(after.processed).toBe(10);
  expect(tool.touched.get('item-001')).toBe(before + 1);
  expect(outcomes.filter((outcome) => outcome === 'ran').length).toBeLessThanOrEqual(1);
  const told = outcomes.filter((outcome) => outcome !== 'sent' && outcome !== 'ran');
  const answers = ['STALE_CONFIRMATION', 'NOT_AWAITING_CONFIRMATION'];
  expect(told).toContainEqual(expect.stringMatching(new RegExp(answers.join('|'))));
  // A server that is too busy answers some callers with that.
  expect(told.filter((code) => ![...answers, UNANSWERED].includes(code))).toEqual([]);
  expect(
    http.failures
      .splice(0)
      .map(({ code }: any) => code)
      .filter((code) => code !== UNANSWERED),
  ).toEqual([]);
  await handle.cancel();
});

describe('conversations, task runs, macros and settings', () => {
  it('takes a turn of conversation, and reports what it asks', async () => {
    const { operation_id, ...begun } = await start({ session_id: 'talk' });
    const said = await http.ask('POST', '/v1/sessions/talk/messages', {
      body: { text: 'continue', by: 'Ada', seen: gate(begun) },
    });
    expect(said.body).toMatchObject({ handled: true, intent: 'continue', status: { processed: 10 } });
    const stopped = await http.ask('POST', '/v1/sessions/talk/messages', { body: { text: 'cancel' } });
    expect(stopped.body).toMatchObject({ intent: 'cancel', status: { operation_id, state: 'cancelled' } });
    const touched = await http.ask('POST', '/v1/touch', { body: { by: 'Ada' } });
    expect(touched.body.active).toBe(true);
  });

  it('records a task run to its end', async () => {
    const body = { goal: 'read', contract: { expected_total: 1 } };
    const { body: begun } = await http.ask('POST', '/v1/task-runs', { body });
    const path = `/v1/task-runs/${begun.task_run_id}`;
    expect((await http.ask('POST', `${path}/complete`)).body.code).toBe('GUARD_BLOCKED');
    await http.ask('POST', `${path}/record`, { body: { completed: ['a'] } });
    expect((await http.ask('GET', path)).body.completed_count).toBe(1);
    expect((await http.ask('POST', `${path}/complete`)).body.allowed).toBe(true);
    expect((await http.ask('GET', '/v1/task-runs')).status).toBe(200);
  });

  it('runs a macro', async () => {
    const macro = { name: 'greet', steps: [{ type: 'set', variable: 'greeting', value: 'hello' }] };
    const { status, body } = await http.ask('POST', '/v1/macros', { body: { macro } });
    expect([status, body.macro]).toEqual([201, 'greet']);
    await harness.client.workflow.getHandle(body.run_id).result();
    expect((await http.ask('GET', `/v1/macros/${body.run_id}`)).body.state).toBe('completed');
    expect((await http.ask('POST', `/v1/macros/${body.run_id}/pause`)).body.code).toBe('OPERATION_CLOSED');
  });

  it('shows tools, and shows and changes profiles', async () => {
    const { body } = await http.ask('GET', '/v1/tools?domain=bulk');
    expect(body.items.map(({ name }: any) => name)).toContain('start_bulk_operation');
    await http.ask('PATCH', '/v1/profiles/small', { body: { op_max_steps: 3 } });
    expect((await http.ask('GET', '/v1/profiles/small')).body.op_max_steps).toBe(3);
  });

  it('answers monitors', async () => {
    expect((await http.ask('GET', '/livez', { key: '' })).status).toBe(200);
    expect((await http.ask('GET', '/readyz', { key: '' })).body.worker).toBe('ok');
    expect((await http.ask('GET', '/metrics')).body).toContain('batchgate_http_request_duration_seconds');
    expect(http.failures).toEqual([]);
  });
});
