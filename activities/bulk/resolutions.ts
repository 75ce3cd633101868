import type { LateResolution } from '../../src/contract/activities';
import { BatchgateError, parseInput } from '../../src/contract/errors';
import { resolveRequestSchema } from '../../src/contract/messages';
import { isProven } from '../../src/core/access/proof';
import { OTHER_RUN } from '../../src/core/bulk/signatures';
import { noSuchItem, notInDoubt } from '../../src/core/bulk/doubts';
import type { ActivityDependencies } from '../shared/dependencies';
import { wholeRecord } from './undoing';

/**
 * Records what became of an item in doubt, after the end of its operation. The same resolution again changes nothing.
 * @throws BatchgateError `NOT_FOUND`, or `INVALID_INPUT` if the item is not in doubt.
 */
export async function resolveLate(
  { ledger, publicKey }: Pick<ActivityDependencies, 'ledger' | 'publicKey'>,
  { operation_id, request }: LateResolution,
): Promise<void> {
  const { proof: _, signed, ...asked } = parseInput(resolveRequestSchema, request, 'The resolution');
  const { item_id, ...said } = asked;
  const { items, run_id } = await wholeRecord(ledger, operation_id);
  const item = items.find(({ id }) => id === item_id);
  if (item === undefined) throw BatchgateError.from(noSuchItem(item_id));
  if (item.resolution?.outcome === said.outcome && item.state === said.outcome) return;
  if (item.state !== 'in_doubt' && item.state !== 'intended') throw BatchgateError.from(notInDoubt(item_id));
  const decided = { operation_id, decision: 'resolve', request };
  // Once it is resolved, the item takes no other resolution: a signature is used once.
  const proven = signed !== undefined && publicKey !== undefined && isProven(decided, publicKey);
  if (proven && signed.run_id !== run_id) throw BatchgateError.from(OTHER_RUN);
  const at = new Date().toISOString();
  const assurance = proven ? ('session' as const) : ('asserted' as const);
  await ledger.resolve({ operation_id, index: item.index, ...said, at, assurance });
}
