import { randomUUID } from 'node:crypto';
import type { WorkflowHandle } from '@temporalio/client';
import { toBatchgateError } from '../../src/client/failures';
import type { BulkAdapter } from '../../src/contract/adapter';
import { BatchgateError } from '../../src/contract/errors';
import type { BulkStatus, BulkTurn, ItemRow } from '../../src/contract/operation';
import { createFakeAdapter } from '../../src/testing/fake-adapter';
import { manyItems, type Harness } from '../helpers/harness';
import { closed, gateOpen, pendingIn, tally, type Letter, type Model } from '../unit/lifecycle.model';
import { end } from '../unit/lifecycle.steps';

export const ITEMS = 12;
const BATCH_SIZE = 5;
const WORDS: Record<Letter, string> = {
  p: 'pending',
  s: 'succeeded',
  f: 'failed',
  k: 'skipped',
  d: 'in_doubt',
};

/**
 * How a batch dies at one of its items. `refused`: the tool refuses the call and touches nothing. `before`, `after`:
 * the batch dies before or after it touches the item. `lost`: like `after`, but the item cannot be read back.
 */
interface Death {
  at: number;
  how: 'refused' | 'before' | 'after' | 'lost';
}

/** What happens in the next batch: an outcome for each of its items, and possibly its death. */
export interface Fate {
  letters: Letter[];
  death: Death | undefined;
}

/** The tool, for one operation at a time. It follows the fate, and counts how often it touched each item. */
export class Tool {
  touched = new Map<string, number>();
  private fate: Fate = { letters: [], death: undefined };
  private calls = 0;
  private readonly unreadable = new Set<string>();
  readonly adapter: BulkAdapter;

  constructor() {
    const fake = createFakeAdapter({
      items: () => manyItems(ITEMS),
      apply: ({ id }) => {
        const letter = this.fate.letters[this.calls - 1] ?? 's';
        // Somebody else changed the item, so the tool is not asked to.
        if (letter === 'k')
          return Promise.resolve({
            item_id: id,
            success: false,
            changed_since_preview: true,
            error: 'other',
          });
        this.touched.set(id, (this.touched.get(id) ?? 0) + 1);
        if (letter === 'f') throw new Error('the tool said no');
        if (letter !== 'd') return Promise.resolve();
        this.unreadable.add(id);
        return Promise.resolve({ item_id: id, success: false, error: 'no answer', outcome_unknown: true });
      },
      readBack: ({ id }) =>
        Promise.resolve(
          this.unreadable.has(id) ? 'unknown' : this.touched.has(id) ? 'applied' : 'not_applied',
        ),
    });
    this.adapter = {
      ...fake,
      executeBatch: async (items, context, limits) => {
        this.calls++;
        const how = this.fate.death?.at === this.calls - 1 ? this.fate.death.how : undefined;
        if (how === 'refused')
          throw new BatchgateError('CREDENTIALS_INVALID', 'The tool refuses us.', 'Log in.');
        if (how === 'before') throw new Error('died before it touched the item');
        // What it has touched is told when it is over, so that its death loses it.
        const results = await fake.executeBatch(items, context, { ...limits, onResult: undefined });
        if (how === 'lost') for (const { id } of items) this.unreadable.add(id);
        if (how !== undefined) throw new Error('died after it touched the item');
        return results;
      },
    };
  }

  reset(): void {
    this.touched = new Map();
    this.unreadable.clear();
  }

  meet(fate: Fate): void {
    this.fate = fate;
    this.calls = 0;
  }
}

export interface LifeModel extends Model {
  /** The plan indices of the items that the tool touched. */
  touched: Set<number>;
  /** The number of decisions that `status` shows. */
  recorded: number;
}

export function newModel(needed: number | undefined): LifeModel {
  return {
    outcomes: Array.from({ length: ITEMS }, () => 'p' as const),
    sizes: [BATCH_SIZE],
    threshold: 0.1,
    from: 0,
    step: 0,
    contract: {},
    state: 'awaiting_confirmation',
    batch: 1,
    attempt: 1,
    now: 0,
    idle: 3_600_000,
    deadline: undefined,
    openedAt: 0,
    decided: new Set(),
    closedBy: [],
    extensions: [],
    edits: [],
    refused: new Map(),
    accepted: 0,
    batchesOver: 0,
    ending: undefined,
    forced: false,
    needed,
    given: [],
    left: [],
    excluded: [],
    superseded: new Set(),
    touched: new Set(),
    recorded: 0,
  };
}

/** One operation on the real server. */
export class Reality {
  digest: string | undefined;

  private constructor(
    readonly harness: Harness,
    readonly tool: Tool,
    private readonly handle: WorkflowHandle,
  ) {}

  /** An operation of the requester `two` needs two approvals. */
  static async start(harness: Harness, tool: Tool, needed: number | undefined): Promise<Reality> {
    tool.reset();
    const id = `model-${randomUUID()}`;
    const requested_by = needed === undefined ? 'one' : 'two';
    const { next_batch } = await harness.start({ batch_size: BATCH_SIZE, requested_by }, id);
    const reality = new Reality(harness, tool, harness.client.workflow.getHandle(id));
    reality.digest = next_batch?.digest;
    return reality;
  }

  /** An update's answer, or the code of its refusal. */
  async update<T = BulkTurn>(name: string, request: object = {}): Promise<{ answer?: T; code?: string }> {
    try {
      return { answer: await this.handle.executeUpdate<T, [object]>(name, { args: [request] }) };
    } catch (error) {
      const { code, message } = toBatchgateError(error);
      if (code === 'INTERNAL') throw new Error(message, { cause: error });
      return { code };
    }
  }

  signal(name: string, request: object): Promise<void> {
    return this.handle.signal(name, request);
  }

  /** Waits until this many decisions are on record and no batch runs, because a signal gets no answer. */
  async recorded(count: number): Promise<BulkStatus> {
    for (;;) {
      const status = await this.handle.query<BulkStatus>('status');
      if (status.confirmations.length >= count && status.state !== 'running_batch') return status;
    }
  }

  /** Compares everything visible of the operation with the model. */
  async verify(model: LifeModel): Promise<void> {
    const status = await this.handle.query<BulkStatus>('status');
    const { items } = await this.handle.query<{ items: ItemRow[] }, [object]>('items', { limit: 1_000 });
    // The state comes first: the error in the status explains why items differ.
    if (status.state !== model.state) expect(status).toMatchObject({ state: model.state });
    expect(items.map(({ outcome }) => outcome)).toEqual(model.outcomes.map((letter) => WORDS[letter]));
    expect(status).toMatchObject({
      state: model.state,
      total: ITEMS,
      succeeded: tally(model, 's'),
      failed: tally(model, 'f'),
      skipped: tally(model, 'k'),
      in_doubt: tally(model, 'd'),
      remaining: tally(model, 'p'),
    });
    expect(status.confirmations).toHaveLength(model.recorded);
    const accepted = status.confirmations.filter(
      ({ decision, outcome }) => decision === 'continue' && outcome === 'accepted',
    );
    expect(accepted).toHaveLength(model.accepted);
    const gate = status.next_batch;
    expect(gate && [gate.number, gate.attempt]).toEqual(
      gateOpen(model) ? [model.batch, model.attempt] : undefined,
    );
    const ids = manyItems(ITEMS).map(({ id }) => id);
    expect(gate?.items.map(({ id }) => id)).toEqual(
      gateOpen(model) ? pendingIn(model).map((index) => ids[index]) : undefined,
    );
    if (gate && model.needed !== undefined)
      expect(status.approvals?.given.map(({ by }) => by)).toEqual(model.given.map(({ by }) => by));
    expect(Object.fromEntries(this.tool.touched)).toEqual(
      Object.fromEntries([...model.touched].map((index) => [ids[index], 1])),
    );
    this.digest = gate?.digest;
  }

  /** Ends the operation if it is still live. Its result and the ledger must then agree with the model. */
  async finish(model: LifeModel): Promise<void> {
    if (!closed(model)) {
      await this.update('cancel');
      end(model, 'cancelled');
    }
    const result = (await this.handle.result()) as BulkStatus;
    expect(result.state).toBe(model.state);
    const record = await this.harness.store.ledger.read(this.handle.workflowId);
    const states = { p: 'planned', s: 'succeeded', f: 'failed', k: 'skipped', d: 'in_doubt' };
    expect(record?.items.map(({ state }) => state)).toEqual(model.outcomes.map((letter) => states[letter]));
    expect(record?.status).toEqual(result);
  }
}
