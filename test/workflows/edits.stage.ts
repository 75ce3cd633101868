import { editBulkOperation } from '../../src/client';
import { BatchgateError } from '../../src/contract/errors';
import type { BulkStatus } from '../../src/contract/operation';
import { createFakeAdapter } from '../../src/testing/fake-adapter';
import { manyItems, startHarness, type Harness } from '../helpers/harness';
import { confirmOpen } from '../helpers/confirm';

/** The marks of the tool, and the items whose change fails. */
export const marks = new Map<string, string>();
export const failing = new Set<string>();
/** The items that were changed, in order. */
export const touched: string[] = [];
/** What reads of marks wait for; whether the tool is away; how often marks were read. */
export const reading: { held: Promise<void> | undefined; away: boolean; count: number } = {
  ...{ held: undefined, away: false, count: 0 },
};

const tool = {
  async get(id: string) {
    reading.count++;
    await reading.held;
    if (reading.away)
      throw new BatchgateError('ADAPTER_UNAVAILABLE', 'The tool is away.', 'Try again later.');
    return marks.get(id);
  },
  set: (id: string, mark: string) => marks.set(id, mark),
  delete: (id: string) => marks.delete(id),
};
const marking = createFakeAdapter({
  marks: tool,
  items: () => manyItems(12),
  apply: ({ id }) => {
    touched.push(id);
    const failed = { item_id: id, success: false, error: 'busy', retryable: true };
    return Promise.resolve(failing.has(id) ? failed : undefined);
  },
});
const unread = createFakeAdapter({
  toolName: 'unread',
  items: () => manyItems(12).map((item) => ({ ...item, raw_data: { made: 'of the old change' } })),
  apply: () => Promise.resolve(),
});
const fixedTool = createFakeAdapter({
  toolName: 'fixed',
  items: () => manyItems(12),
  apply: () => Promise.resolve(),
});

export let harness: Harness;

/** A worker with these tools, for the tests of one file. */
export function useEditedTools(): void {
  beforeAll(async () => {
    harness = await startHarness({
      adapters: [marking, unread, fixedTool],
      settings: { batches_per_run: 2, fixed: { fixed: ['mark'] } },
    });
  });
  afterAll(() => harness.close());
  beforeEach(() => {
    marks.clear();
    failing.clear();
    touched.length = 0;
    Object.assign(reading, { held: undefined, away: false, count: 0 });
  });
}

export const start = (domain = 'fake', mark = 'later') =>
  harness.start({ domain, action: 'mark', params: { group: 'all', mark }, batch_size: 5 });
export const edit = (
  { operation_id, next_batch }: BulkStatus,
  change: Record<string, unknown> = { mark: 'archive' },
  more: object = {},
) =>
  editBulkOperation(harness.client, operation_id, {
    change,
    by: 'ana',
    digest: next_batch?.digest,
    ...more,
  });
/** The error that a call rejects with. */
export const refusal = (work: Promise<unknown>) =>
  work.then(
    () => undefined,
    (error: unknown) => (error instanceof BatchgateError ? error.body : error),
  );
/** Confirms batch after batch. */
export async function runAll(id: string): Promise<BulkStatus> {
  for (;;) {
    const status = await harness.status(id);
    if (!status.needs_confirmation) return status;
    await confirmOpen(harness.client, id);
  }
}

/** Until a plan reads the tool. */
export async function untilReads(): Promise<void> {
  while (reading.count === 0) await new Promise((resolve) => setImmediate(resolve));
}
