import { randomUUID } from 'node:crypto';
import {
  continueBulkOperation,
  getReport,
  previewBulkOperation,
  reviseBulkOperation,
  watchOperation,
} from '../../src/client';
import { BARE_AFTER_MS } from '../../src/core/bulk/gate';
import type { BulkOperationInput, BulkStatus, BulkTurn, OperationEvent } from '../../src/contract/operation';
import { codeOf, countingTool, gateway, startHarness, type Harness } from '../helpers/harness';
import { hurriedly } from '../helpers/hurry';
import { unreplayableOf } from '../helpers/replayed';
import { lookAgain } from '../helpers/look-again';

let held: ReturnType<typeof gateway> | undefined;
let begun: ReturnType<typeof gateway> | undefined;
const tool = countingTool(12);
const slow = countingTool(12, {
  toolName: 'slow',
  apply: async (item) => {
    begun?.open();
    await held?.opened;
    slow.touched.set(item.id, 1);
  },
});
let harness: Harness;

beforeAll(async () => void (harness = await startHarness({ adapters: [tool.adapter, slow.adapter] })));
afterAll(() => harness.close());
beforeEach(() => {
  tool.touched.clear();
  slow.touched.clear();
});

const NOTE = 'Use the label Archive.';
const gateOf = ({ next_batch: gate }: Pick<BulkStatus, 'next_batch'>) => ({
  batch: gate?.number ?? 0,
  attempt: gate?.attempt ?? 0,
  digest: gate?.digest ?? '',
});
const ask = (input: Partial<BulkOperationInput> = {}) => harness.start({ batch_size: 5, ...input });
const sendBack = (started: BulkStatus, more: object = {}) =>
  reviseBulkOperation(harness.client, started.operation_id, {
    ...{ note: NOTE, by: 'Ana' },
    ...gateOf(started),
    ...more,
  });
const handle = (id: string) => harness.client.workflow.getHandle(id);
async function ended(id: string): Promise<BulkStatus> {
  return (await handle(id).result()) as BulkStatus;
}

describe('a question that is sent back', () => {
  it('ends its operation with the note, runs nothing more, and frees its session', async () => {
    const started = await ask({ session_id: 'S', reason: 'They are old.' });
    const turn = await sendBack(started);
    expect(turn).toMatchObject({
      ...{ state: 'cancelled', processed: 0, needs_confirmation: false },
      sent_back: { note: NOTE, by: 'Ana', assurance: 'asserted' },
    });
    expect(turn.message.split('\n')).toEqual([
      'Bulk mark on fake was sent back with guidance. Nothing was changed; nothing more of it will run.',
      `“Ana” says what to do instead: “${NOTE}”`,
    ]);
    const status = await ended(started.operation_id);
    expect(status.confirmations).toMatchObject([
      { decision: 'revise', outcome: 'accepted', note: NOTE, by: 'Ana', ...gateOf(started) },
    ]);
    expect(await codeOf(continueBulkOperation(harness.client, started.operation_id, gateOf(started)))).toBe(
      'OPERATION_CLOSED',
    );
    expect(tool.touched.size).toBe(0);
    const next = await ask({ session_id: 'S', revises: started.operation_id });
    expect(next.state).toBe('awaiting_confirmation');
    expect(await unreplayableOf(harness.client, [started.operation_id])).toEqual([]);
  });

  it('keeps what was done before, and says so', async () => {
    const started = await ask();
    const after = await continueBulkOperation(harness.client, started.operation_id, gateOf(started));
    const turn = await sendBack({ ...started, next_batch: after.next_batch } as BulkStatus);
    expect(turn).toMatchObject({ state: 'cancelled', processed: 5, succeeded: 5, remaining: 7 });
    expect(turn.message).toContain('5/12 items were processed before that, and what was done stays done;');
    expect(tool.touched.size).toBe(5);
  });

  it('gives the same decision its first answer again, before and after the end', async () => {
    const started = await ask();
    const decision = { ...gateOf(started), note: NOTE, by: 'Ana', decision_id: 'd-1' };
    const twice = await Promise.all([1, 2].map(() => sendBack(started, { decision_id: 'd-1' })));
    await ended(started.operation_id);
    const later = await reviseBulkOperation(harness.client, started.operation_id, decision);
    expect(twice[1]).toEqual(twice[0]);
    expect(later.sent_back).toEqual(twice[0]?.sent_back);
    const { confirmations } = await harness.status(started.operation_id);
    expect(confirmations.filter(({ decision: kind }) => kind === 'revise')).toHaveLength(1);
    const other = reviseBulkOperation(harness.client, started.operation_id, {
      note: 'No, star them.',
      by: 'Ben',
    });
    await expect(other).rejects.toMatchObject({
      body: { code: 'OPERATION_CLOSED', hint: expect.stringContaining('"revises"') },
    });
  });

  it('may be sent back by a signal, named or once it has been open for two seconds', async () => {
    const [named, bare] = await Promise.all([ask(), ask()]);
    await handle(named.operation_id).signal('revise', { note: NOTE, ...gateOf(named) });
    expect(await ended(named.operation_id)).toMatchObject({
      state: 'cancelled',
      sent_back: { note: NOTE },
      confirmations: [{ decision: 'revise', via: 'signal' }],
    });
    const early = await hurriedly(async () => {
      const { operation_id, updated_at } = await ask();
      await handle(operation_id).signal('revise', { note: NOTE });
      return { took: Date.now() - Date.parse(updated_at), answer: operation_id };
    });
    let status = await harness.status(early);
    while (status.confirmations.length === 0) status = await harness.status(early);
    expect(status).toMatchObject({ confirmations: [{ decision: 'revise', outcome: 'STALE_CONFIRMATION' }] });
    while (Date.now() < Date.parse(bare.updated_at) + BARE_AFTER_MS + 500) await lookAgain();
    await handle(bare.operation_id).signal('revise', { note: NOTE });
    expect(await ended(bare.operation_id)).toMatchObject({ sent_back: { note: NOTE } });
    expect(await unreplayableOf(harness.client, [bare.operation_id])).toEqual([]);
  });

  it('must be the one that was shown: another batch, attempt or digest is refused and recorded', async () => {
    const started = await ask();
    for (const other of [{ batch: 2 }, { attempt: 2 }, { digest: 'f'.repeat(64) }])
      expect(await codeOf(sendBack(started, other))).toBe('STALE_CONFIRMATION');
    expect(await codeOf(sendBack(started, { note: '  ' }))).toBe('INVALID_INPUT');
    const raw = handle(started.operation_id).executeUpdate<BulkTurn, [object]>('revise', {
      args: [{ batch: 1 }],
      updateId: randomUUID(),
    });
    await expect(raw).rejects.toMatchObject({ cause: { type: 'INVALID_INPUT' } });
    await handle(started.operation_id).signal('revise', { batch: 1 });
    let status = await harness.status(started.operation_id);
    while (status.confirmations.length < 4) status = await harness.status(started.operation_id);
    expect(status.state).toBe('awaiting_confirmation');
    expect(status.confirmations.map(({ decision, outcome }) => [decision, outcome])).toEqual([
      ...Array.from({ length: 3 }, () => ['revise', 'STALE_CONFIRMATION']),
      ['revise', 'INVALID_INPUT'],
    ]);
  });

  it('cannot be sent back by its own confirmation, or while its batch runs', async () => {
    const started = await ask({ domain: 'slow' });
    [held, begun] = [gateway(), gateway()];
    const running = continueBulkOperation(harness.client, started.operation_id, {
      ...gateOf(started),
      decision_id: 'go',
    });
    await begun.opened;
    expect(await codeOf(sendBack(started))).toBe('NOT_AWAITING_CONFIRMATION');
    held.open();
    const after = await running;
    expect(await codeOf(sendBack(started, { decision_id: 'go' }))).toBe('IDEMPOTENCY_CONFLICT');
    expect(after).toMatchObject({ state: 'awaiting_confirmation', processed: 5 });
    held = undefined;
  });

  it('is an event with the note, for everybody who follows the operation', async () => {
    const started = await ask();
    await sendBack(started);
    await ended(started.operation_id);
    const events: OperationEvent[] = [];
    for await (const event of watchOperation(
      harness.client,
      started.operation_id,
      AbortSignal.timeout(20_000),
    ))
      if (event !== 'caught_up') events.push(event);
    expect(events.at(-1)).toMatchObject({ state: 'cancelled', sent_back: { note: NOTE, by: 'Ana' } });
    expect(events.slice(0, -1).some(({ sent_back }) => sent_back)).toBe(false);
  });
});

describe('a revision', () => {
  it('shows what differs from what was sent back, in words and as data', async () => {
    const items = ['item-001', 'item-002', 'item-003', 'item-004', 'item-005', 'item-006'];
    const asked = (ids: string[], mark: string) => ({
      ...{ params: { mark }, items: ids.map((id) => ({ id })) },
      reason: 'They are old.',
    });
    const first = await ask(asked(items, 'Later'));
    await sendBack(first);
    const input = { ...asked([...items.slice(1), 'item-007'], 'Archive'), revises: first.operation_id };
    const preview = await previewBulkOperation(
      harness.client,
      { domain: 'fake', action: 'mark', batch_size: 5, ...input },
      { task_queue: harness.taskQueue },
    );
    const next = await ask(input);
    expect(next).toMatchObject({
      revises: first.operation_id,
      revision: {
        ...{ number: 1, by_agents: 0, guidance: { note: NOTE, by: 'Ana' } },
        items: { added: 1, removed: 1, same: 5, done_before: 0 },
      },
    });
    expect(next.revision?.differences).toContainEqual({ name: 'mark', from: 'Later', to: 'Archive' });
    expect(preview).toMatchObject({ revises: first.operation_id, revision: next.revision });
    expect(next.message).toContain(
      `Revision 1, in the place of “${first.operation_id}”. “Ana” sent that back: “${NOTE}”`,
    );
    expect(next.message).toContain('mark: “Later” → “Archive”');
    expect(next.message).toContain('1 item more (“item-007”); 1 item fewer (“item-001”)');
    const turn = await continueBulkOperation(harness.client, next.operation_id, gateOf(next));
    expect(turn.message).not.toContain('Revision 1');
    expect(await getReport(harness.client, next.operation_id)).toMatchObject({
      ...{ revises: first.operation_id, reason: 'They are old.', revision: { number: 1 } },
    });
    expect(await getReport(harness.client, first.operation_id)).toMatchObject({ sent_back: { note: NOTE } });
    expect(await unreplayableOf(harness.client, [next.operation_id])).toEqual([]);
  });

  it.each([
    ['nothing', () => Promise.resolve(`bulk-${randomUUID()}`), 'NOT_FOUND'],
    ['an open operation', async () => (await ask()).operation_id, 'INVALID_INPUT'],
    [
      'a cancelled one',
      async () => {
        const { operation_id } = await ask();
        await handle(operation_id).executeUpdate('cancel', { args: [{}] });
        return operation_id;
      },
      'INVALID_INPUT',
    ],
  ])('of %s is refused with a hint', async (_, revised, code) => {
    const refused = await ask({ revises: await revised() }).catch((error: unknown) => error);
    expect(refused).toMatchObject({ body: { code, hint: expect.stringMatching(/./) } });
  });

  it('is made by agents at most three times in a row, and anew once a person confirmed or started', async () => {
    const agent = { by_agent: true as const, reason: 'Please.' };
    let last = await ask(agent);
    for (let number = 1; number <= 3; number++) {
      await sendBack(last);
      last = await ask({ ...agent, revises: last.operation_id });
      expect(last.revision).toMatchObject({ number, by_agents: number });
    }
    await sendBack(last);
    const { operation_id: third } = last;
    await expect(ask({ ...agent, revises: third })).rejects.toMatchObject({
      body: { code: 'FORBIDDEN', hint: expect.stringContaining('Ask the person') },
    });
    const person = await ask({ revises: third });
    expect(person.revision).toMatchObject({ number: 4, by_agents: 0 });
    await sendBack(person);
    await expect(ask({ ...agent, revises: third })).rejects.toMatchObject({ body: { code: 'FORBIDDEN' } });
    const again = await ask({ ...agent, revises: person.operation_id });
    expect(again.revision).toMatchObject({ number: 5, by_agents: 1 });
    await expect(ask({ ...agent, revises: person.operation_id })).rejects.toMatchObject({
      body: { code: 'INVALID_INPUT', message: expect.stringContaining(again.operation_id) },
    });
    const turn = await continueBulkOperation(harness.client, again.operation_id, gateOf(again));
    await sendBack({ ...again, next_batch: turn.next_batch } as BulkStatus);
    const confirmed = await ask({ ...agent, revises: again.operation_id });
    expect(confirmed.revision).toMatchObject({ number: 6, by_agents: 1, items: { done_before: 5, same: 7 } });
  });
});
