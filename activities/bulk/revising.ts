import type { PlanInput } from '../../src/contract/plans';
import { BatchgateError } from '../../src/contract/errors';
import type { LedgerRecord } from '../../src/contract/ledger-record';
import type { Revision } from '../../src/contract/revision';
import { revisionOf, revisionRefused } from '../../src/core/bulk/revisions';
import type { ActivityDependencies } from '../shared/dependencies';
import { wholeRecord } from './undoing';

/** An operation answers the decision that ends it a moment before its last status is in the ledger. Milliseconds. */
const ENDING_MS = 2_000;

/**
 * Refuses a plan that is to revise what was not sent back, or may not.
 * @throws BatchgateError `NOT_FOUND`, `INVALID_INPUT`, or `FORBIDDEN` after too many revisions by agents.
 */
export async function refuseUnrevisable(
  dependencies: ActivityDependencies,
  { operation_id, terms: { revises, by_agent } }: Pick<PlanInput, 'operation_id' | 'terms'>,
): Promise<void> {
  if (revises === undefined) return;
  const before = await endedRecord(dependencies, revises);
  const others = await dependencies.ledger.revisionsOf(revises);
  const refusal = revisionRefused(
    before,
    by_agent === true,
    others.filter((id) => id !== operation_id),
  );
  if (refusal) throw BatchgateError.from(refusal);
}

/** What differs between a plan and the operation that it revises. */
export async function compareRevised(
  { ledger }: ActivityDependencies,
  { operation_id }: { operation_id: string },
): Promise<Revision> {
  const now = await wholeRecord(ledger, operation_id);
  const before = await wholeRecord(ledger, now.terms?.revises ?? '');
  const revision = revisionOf(before, now);
  if (revision) return revision;
  throw new BatchgateError(
    'INVALID_INPUT',
    'The operation to revise was not sent back.',
    'Leave revises out, or name an operation whose status has sent_back.',
  );
}

async function endedRecord(
  { ledger, operations }: ActivityDependencies,
  operationId: string,
): Promise<LedgerRecord> {
  const record = await ledger.read(operationId);
  if (record?.status) return record;
  const signal = AbortSignal.timeout(ENDING_MS * 2);
  await operations.ended(operationId, signal, ENDING_MS).catch(() => undefined);
  return (await ledger.read(operationId)) ?? wholeRecord(ledger, operationId);
}
