import { BatchgateError } from '../../src/contract/errors';
import { countingTool, gateway, startHarness, type Harness } from '../helpers/harness';

let held = gateway();
/** Opens when the fourth item is about to be changed. */
export let begun = gateway();
let holding = true;
let refusing = false;
let calls = 0;
/** Items whose answer never comes. */
export const lost = new Set<string>();
export const touched = new Map<string, number>();
export const { adapter, items } = countingTool(12, {
  sliceSize: 1,
  apply: async ({ id }) => {
    touched.set(id, (touched.get(id) ?? 0) + 1);
    if (lost.has(id))
      return { item_id: id, success: false, outcome_unknown: true, error: 'the answer never came' };
    if (!holding || id !== 'item-004') return undefined;
    begun.open();
    await held.opened;
    return undefined;
  },
  onCall: (method) => {
    if (method !== 'executeBatch' || ++calls !== 4 || !refusing) return;
    throw new BatchgateError('CREDENTIALS_INVALID', 'The tool refuses us.', 'Log in.');
  },
  readBack: undefined,
});

export let harness: Harness;
/** Operations over 12 items. The change of the fourth waits, unless `answerAtOnce` was called, until its test is over. */
export function useHeldTool(): void {
  beforeAll(async () => {
    harness = await startHarness({ adapters: [adapter] });
  });
  afterAll(() => harness.close());
  beforeEach(() => {
    [held, begun] = [gateway(), gateway()];
    lost.clear();
    touched.clear();
    holding = true;
    refusing = false;
    calls = 0;
  });
  afterEach(() => held.open());
}

export const letGo = (): void => held.open();

export function answerAtOnce(): void {
  holding = false;
}

/** The fourth call of the test fails before it touches its item, and with it the batch. */
export function refuseTheFourthCall(): void {
  refusing = true;
}

export function holdTheFourth(): void {
  holding = true;
}

export const refusal = (work: Promise<unknown>): Promise<BatchgateError> =>
  work.then(
    () => Promise.reject(new Error('it was not refused')),
    (error: unknown) => {
      if (error instanceof BatchgateError) return error;
      throw error;
    },
  );
