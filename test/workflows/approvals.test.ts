import type { TestWorkflowEnvironment } from '@temporalio/testing';
import {
  cancelBulkOperation,
  continueBulkOperation,
  delegateApproval,
  editBulkOperation,
  getReport,
  retryFailedItems,
} from '../../src/client';
import type { BulkStatus, BulkTurn } from '../../src/contract/operation';
import { codeOf, countingTool, startHarness, type Harness, type HarnessOptions } from '../helpers/harness';
import { unreplayableOf } from '../helpers/replayed';
import { startTimeSkipping } from '../helpers/time-skipping';

const HOUR = 3_600_000;
const failing = new Set<string>();
const tool = countingTool(12, {
  apply: ({ id }) => {
    tool.touched.set(id, (tool.touched.get(id) ?? 0) + 1);
    const failed = { item_id: id, success: false, error: 'no', retryable: true };
    return Promise.resolve(failing.has(id) ? failed : undefined);
  },
});
const two = { approvals: 2, from: ['person:ana', 'person:ben', 'person:cy'], not_requester: true };

let env: TestWorkflowEnvironment;
let harness: Harness;

const options: HarnessOptions = {
  adapters: [tool.adapter],
  settings: { batches_per_run: 1 },
  policies: [
    {
      name: 'held',
      when: 'has(params.group) && params.group == "held"',
      require: { ...two, on_refusal: 'hold' },
    },
    {
      name: 'slow',
      when: 'has(params.group) && params.group == "slow" || requester == "sue"',
      require: { ...two, escalate: [{ after: '2h', to: ['person:dora'] }] },
    },
    {
      name: 'signed in',
      when: 'has(params.group) && params.group == "session"',
      require: { approvals: 1, assurance: 'session' },
    },
    { name: 'four eyes', when: 'requester == "rita"', require: two },
  ],
};
beforeEach(() => tool.touched.clear());

const start = (group = 'all', requested_by = 'rita') =>
  harness.start({ params: { group }, requested_by, idle_timeout_seconds: 86_400 });
const gate = ({ next_batch }: BulkStatus | BulkTurn) => {
  const { number: batch, attempt, digest } = next_batch ?? {};
  return { batch, attempt, digest };
};
/** As a plain client of Temporal, which names whom it likes. */
const handleOf = (id: string) => harness.client.workflow.getHandle(id);
const update = (id: string, name: string, request: object) =>
  handleOf(id).executeUpdate<BulkTurn, [object]>(name, { args: [request] });
const confirmBy = (status: BulkStatus | BulkTurn, by: string, more: object = {}) =>
  continueBulkOperation(harness.client, status.operation_id, { ...gate(status), by, ...more });
const ids = (count: number) => tool.items.slice(0, count).map(({ id }) => id);
const endOf = async (id: string) => {
  await cancelBulkOperation(harness.client, id, { by: 'rita' });
  expect(await unreplayableOf(harness.client, [id])).toEqual([]);
};

async function until(id: string, wanted: (status: BulkStatus) => boolean): Promise<BulkStatus> {
  for (;;) {
    const status = await harness.status(id);
    if (wanted(status)) return status;
  }
}

describe('over hours', () => {
  beforeAll(async () => {
    env = await startTimeSkipping();
    harness = await startHarness({
      ...options,
      connect: { client: env.client, connection: env.nativeConnection },
    });
  });
  afterAll(async () => {
    await harness.close();
    await env.teardown();
  });

  it('asks the next people after a time, in a later run too', async () => {
    const asked = await start('slow');
    const { operation_id: id } = asked;
    expect(await codeOf(confirmBy(asked, 'dora'))).toBe('FORBIDDEN');
    await confirmBy(asked, 'ana');
    // The second batch is asked about in the next run.
    const second = await confirmBy(asked, 'ben');
    await env.sleep(HOUR);
    expect((await harness.status(id)).approvals?.from).toEqual(two.from);
    await env.sleep(HOUR + 60_000);
    const later = await until(id, ({ approvals }) => approvals?.from.includes('person:dora') ?? false);
    expect(later.message).toContain('The approvals did not come in time, so these are asked too: dora.');
    expect(gate(later)).toEqual(gate(second));
    await confirmBy(later, 'dora');
    expect(await confirmBy(later, 'cy')).toMatchObject({ state: 'completed', processed: 12 });
    expect(await unreplayableOf(harness.client, [id])).toEqual([]);
  });

  it('asks the next people after a time of a retry too, counted from its own question', async () => {
    failing.add('item-001');
    // The parameters of a retry are its items.
    const asked = await start('all', 'sue');
    const second = await confirmBy(asked, 'ana').then(() => confirmBy(asked, 'ben'));
    await confirmBy(second, 'ana');
    expect(await confirmBy(second, 'ben')).toMatchObject({ state: 'completed', failed: 1 });
    failing.clear();
    const again = await retryFailedItems(harness.client, asked.operation_id);
    expect(again.approvals).toMatchObject({ needed: 2, given: [], from: two.from });
    expect(await codeOf(confirmBy(again, 'sue'))).toBe('FORBIDDEN');
    expect(await codeOf(confirmBy(again, 'dora'))).toBe('FORBIDDEN');
    await env.sleep(2 * HOUR + 60_000);
    const later = await until(
      again.operation_id,
      ({ approvals }) => approvals?.from.includes('person:dora') ?? false,
    );
    await confirmBy(later, 'dora');
    expect(await confirmBy(later, 'cy')).toMatchObject({ state: 'completed', processed: 1 });
  });

  it('is cancelled by one no, or held by it until others approve, or say no too', async () => {
    const plain = await start();
    await confirmBy(plain, 'ana');
    const { client } = harness;
    expect(await cancelBulkOperation(client, plain.operation_id, { by: 'ben' })).toMatchObject({
      state: 'cancelled',
    });
    const asked = await start('held');
    const { operation_id: id } = asked;
    await confirmBy(asked, 'ana');
    const held = await cancelBulkOperation(client, id, { by: 'ben', reason: 'too many' });
    expect(held).toMatchObject({
      ...{ state: 'awaiting_confirmation', recorded: 'hold', next_batch: { number: 1, attempt: 2 } },
      approvals: { given: [], again: 'an approver said no', held: { by: 'ben', note: 'too many' } },
      message: expect.stringContaining('Held: “ben” said no: “too many”.'),
    });
    expect(await codeOf(confirmBy(asked, 'ana'))).toBe('STALE_CONFIRMATION');
    await confirmBy(held, 'ana');
    const ran = await confirmBy(held, 'cy');
    expect(ran).toMatchObject({ processed: 10, next_batch: { number: 2, attempt: 1 } });
    await handleOf(id).signal('cancel', { by: 'ben' });
    await until(id, ({ approvals }) => approvals?.held !== undefined);
    expect(await cancelBulkOperation(client, id, { by: 'cy' })).toMatchObject({ state: 'cancelled' });
    expect(await unreplayableOf(harness.client, [id])).toEqual([]);
  });

  it('lets an approver delegate until a time, and counts both once', async () => {
    const asked = await start();
    const { operation_id: id } = asked;
    const until = new Date((await env.currentTimeMs()) + 2 * HOUR).toISOString();
    const delegate = (by: string, to: string) => delegateApproval(harness.client, id, { by, to, until });
    expect(await codeOf(delegate('eve', 'fay'))).toBe('FORBIDDEN');
    expect(await codeOf(delegate('ana', 'rita'))).toBe('FORBIDDEN');
    const given = await delegate('ana', 'fay');
    expect(given.approvals?.delegations).toEqual([{ by: 'ana', to: 'fay', until }]);
    expect((await delegate('ana', 'fay')).approvals?.delegations).toHaveLength(1);
    expect(await codeOf(delegate('fay', 'gus'))).toBe('FORBIDDEN');
    const first = await confirmBy(asked, 'fay');
    expect(first.approvals?.given).toMatchObject([{ by: 'fay', for: 'ana' }]);
    expect(await codeOf(confirmBy(asked, 'ana'))).toBe('FORBIDDEN');
    const second = await confirmBy(asked, 'ben');
    expect(second.processed).toBe(10);
    expect((await harness.status(id)).confirmations[0]).toMatchObject({
      ...{ decision: 'delegate', by: 'ana', note: `to “fay” until ${until}` },
    });
    // It ends after it was used and before the last approval.
    expect((await confirmBy(second, 'fay')).approvals?.given).toMatchObject([{ by: 'fay', for: 'ana' }]);
    await env.sleep(2 * HOUR);
    const late = await confirmBy(second, 'ben');
    expect(late).toMatchObject({ recorded: 'approval', processed: 10, approvals: { lost: ['fay'] } });
    expect(await codeOf(confirmBy(second, 'fay'))).toBe('FORBIDDEN');
    await endOf(id);
  });
});

describe('at once', () => {
  // The server that skips time puts signals and updates of one moment into an order that does not replay.
  beforeAll(async () => {
    harness = await startHarness(options);
  });
  afterAll(() => harness.close());

  it('runs a batch with the last approval that it needs, and says until then who is still needed', async () => {
    const asked = await start();
    const { operation_id: id } = asked;
    expect(asked.approvals).toMatchObject({ needed: 2, given: [], still_needed: '2 of ana, ben or cy' });
    const first = await confirmBy(asked, 'ana', { decision_id: 'a1' });
    expect(first).toMatchObject({
      ...{ state: 'awaiting_confirmation', processed: 0, recorded: 'approval' },
      approvals: {
        needed: 2,
        given: [{ by: 'ana', assurance: 'asserted' }],
        still_needed: 'one of ben or cy',
      },
      message: expect.stringContaining('Approvals: 1 of 2 (“ana”). Still needed: one of ben or cy.'),
    });
    expect(await codeOf(confirmBy(asked, 'rita'))).toBe('FORBIDDEN');
    expect(await codeOf(confirmBy(asked, 'eve'))).toBe('FORBIDDEN');
    expect(await codeOf(confirmBy(asked, 'ana'))).toBe('FORBIDDEN');
    expect(tool.touched.size).toBe(0);
    const ran = await confirmBy(asked, 'ben');
    expect(ran).toMatchObject({ processed: 10, next_batch: { number: 2 }, approvals: { given: [] } });
    expect(ran).not.toHaveProperty('recorded');
    expect([...tool.touched]).toEqual(ids(10).map((one) => [one, 1]));
    // In the next run of the chain, too.
    expect(await confirmBy(asked, 'ana', { decision_id: 'a1' })).toEqual(first);
    expect((await harness.status(id)).approvals?.given).toEqual([]);
    const [row] = (await getReport(harness.client, id)).rows;
    expect(row).toMatchObject({ confirmed_by: 'ana, ben' });
    const { confirmations } = await harness.status(id);
    expect(confirmations.map(({ decision, outcome, by }) => [decision, outcome, by])).toEqual([
      ['approve', 'accepted', 'ana'],
      ['continue', 'FORBIDDEN', 'rita'],
      ['continue', 'FORBIDDEN', 'eve'],
      ['continue', 'FORBIDDEN', 'ana'],
      ['continue', 'accepted', 'ben'],
    ]);
    await endOf(id);
  });

  it('counts approvals that arrive at once, by updates and signals, each person once', async () => {
    const asked = await start();
    const { operation_id: id } = asked;
    const handle = handleOf(id);
    const sent = ['ana', 'ana', 'rita', 'eve'].map((by, at) =>
      codeOf(confirmBy(asked, by, { decision_id: `d${at}` })),
    );
    await Promise.all([handle.signal('continue', { ...gate(asked), by: 'ana' }), ...sent]);
    expect((await harness.status(id)).approvals?.given).toMatchObject([{ by: 'ana' }]);
    expect(tool.touched.size).toBe(0);
    await Promise.all(
      ['ben', 'cy', 'ben', 'cy'].map((by) => handle.signal('continue', { ...gate(asked), by })),
    );
    const next = await until(id, ({ next_batch }) => next_batch?.number === 2);
    expect([...tool.touched]).toEqual(ids(10).map((one) => [one, 1]));
    expect(next.approvals?.given).toEqual([]);
    await endOf(id);
  });

  it('takes nobody’s word for more than an assertion', async () => {
    const asked = await start('session');
    const { operation_id: id } = asked;
    const approver = { subject: 'x|ana', by: 'ana', groups: [], roles: ['admin'], assurance: 'session' };
    const signed = { run_id: 'r', decision_id: 'd', at: new Date().toISOString() };
    for (const more of [{}, { approver }, { approver, signed, proof: 'ab'.repeat(64) }])
      await expect(update(id, 'continue', { ...gate(asked), by: 'ana', ...more })).rejects.toMatchObject({
        cause: { type: 'FORBIDDEN' },
      });
    expect(tool.touched.size).toBe(0);
    await endOf(id);
  });

  it('asks anew when items are left out, and runs what was approved then', async () => {
    const asked = await start();
    const { operation_id: id } = asked;
    await confirmBy(asked, 'ana');
    const anew = await confirmBy(asked, 'ben', { exclude: [{ id: 'item-002', reason: 'not that' }] });
    expect(anew).toMatchObject({
      ...{ recorded: 'left_out', skipped: 1, next_batch: { number: 1, attempt: 2 } },
      approvals: { given: [], again: '“ben” left out 1 item' },
    });
    expect(await codeOf(confirmBy(asked, 'cy'))).toBe('STALE_CONFIRMATION');
    await confirmBy(anew, 'cy');
    expect(tool.touched.size).toBe(0);
    expect(await confirmBy(anew, 'ana')).toMatchObject({ processed: 9, skipped: 1 });
    const { rows, differences, questions } = await getReport(harness.client, id);
    expect(differences).toEqual([]);
    expect(rows[1]).toMatchObject({ id: 'item-002', outcome: 'skipped', error: 'not that' });
    expect(questions).toMatchObject([
      { batch: 1, attempt: 1, decision: 'leave_out', by: 'ben', digest: gate(asked).digest },
      { batch: 1, attempt: 2, decision: 'continue', by: 'cy, ana', digest: gate(anew).digest },
      { batch: 2, attempt: 1 },
    ]);
    await endOf(id);
  });

  it('takes no approval of who edited the change, as of who requested it', async () => {
    const { operation_id: id } = await start();
    const edit = { change: { mark: 'new' }, decision_id: 'edit' };
    expect(await codeOf(editBulkOperation(harness.client, id, edit))).toBe('INVALID_INPUT');
    const edited = { ...edit, by: 'ana', decision_id: 'named' };
    const asked = await editBulkOperation(harness.client, id, edited);
    expect(await codeOf(confirmBy(asked, 'ana'))).toBe('FORBIDDEN');
    expect(await confirmBy(asked, 'ben')).toMatchObject({ recorded: 'approval' });
    expect(await confirmBy(asked, 'cy')).toMatchObject({ processed: 10 });
    await cancelBulkOperation(harness.client, id, { by: 'rita' });
  });

  it('leaves what was left out to the next operation, if its batch never ran', async () => {
    const asked = await start();
    const { operation_id: id } = asked;
    await confirmBy(asked, 'ben', { exclude: [{ id: 'item-002' }] });
    await endOf(id);
    expect(await harness.status(id)).toMatchObject({ skipped: 0, remaining: 12 });
    expect((await getReport(harness.client, id)).differences).toEqual([]);
  });
});
