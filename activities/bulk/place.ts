import type { BulkAdapter } from '../../src/contract/adapter';
import { BatchgateError } from '../../src/contract/errors';
import type { PreparedBulkContext } from '../../src/contract/items';

/** True if the adapter would now change another place than the planned one. */
export async function isElsewhere(adapter: BulkAdapter, context: PreparedBulkContext): Promise<boolean> {
  return (await adapter.place?.(context)) !== context.place;
}

/** @throws BatchgateError `NOT_CONFIGURED` if the configuration now names another place. */
export async function refuseElsewhere(adapter: BulkAdapter, context: PreparedBulkContext): Promise<void> {
  const now = await adapter.place?.(context);
  if (now === context.place) return;
  throw new BatchgateError(
    'NOT_CONFIGURED',
    `This was planned for ${context.place ?? 'no address'}, and the worker is configured for ${now ?? 'none'}; nothing was run.`,
    'Configure the planned address again and continue, or cancel and start a new operation.',
  );
}
