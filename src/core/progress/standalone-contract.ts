import { BatchgateError, parseInput } from '../../contract/errors';
import type { CompleteRequest } from '../../contract/messages';
import {
  type BulkProgressContract,
  type CompletionGuardResult,
  bulkProgressContractSchema,
} from '../../contract/progress';
import {
  standaloneContractInputSchema,
  type StandaloneContract,
  type StandaloneContractInput,
  type StandaloneStatus,
} from '../../contract/task-run';
import { canonicalJson } from '../shared/canonical';
import { checkCompletionGuard, evidenceOf, overruled } from './completion-guard';
import { createProgressContract, markStopConditionSatisfied } from './contract';
import { progressView } from './view';
import { iso } from '../bulk/view';

/** @throws BatchgateError `INVALID_INPUT` with the path of each mistake, or if it could never be completed. */
export function beginStandalone(input: StandaloneContractInput, now: number): StandaloneContract {
  const parsed = parseInput(standaloneContractInputSchema, input, 'The progress contract');
  return createProgressContract(parsed, now);
}

/** Whether two contracts have the same terms, regardless of their records. */
export function agreeAlike(left: BulkProgressContract, right: BulkProgressContract): boolean {
  return canonicalJson(agreementOf(left)) === canonicalJson(agreementOf(right));
}

function agreementOf(contract: BulkProgressContract): Partial<BulkProgressContract> {
  const { contract_id, scope, expected_total, expected_items, min_completed } = contract;
  const { stop_condition, item_key, failed_policy, skipped_policy } = contract;
  const numbers = { expected_total, expected_items, min_completed };
  return { contract_id, scope, ...numbers, stop_condition, item_key, failed_policy, skipped_policy };
}

/** @throws BatchgateError `OPERATION_CLOSED` when the contract is completed. */
export function refuseCompleted({ contract_id, completed_at }: StandaloneContract): void {
  if (completed_at === undefined) return;
  throw new BatchgateError(
    'OPERATION_CLOSED',
    `The progress contract ${contract_id} is completed; it accepts no more records.`,
    'Create another one for the rest.',
  );
}

/** Completes the contract if the guard allows it, or if a person forces it with a reason. */
export function completeStandalone(
  before: StandaloneContract,
  { force, reason = '', by, stop_condition_satisfied }: CompleteRequest,
  now: number,
): { contract: StandaloneContract; guard: CompletionGuardResult } {
  const contract = stop_condition_satisfied ? markStopConditionSatisfied(before, now) : before;
  const guard = checkCompletionGuard(contract, { items: true });
  if (!guard.allowed && !force) return { contract, guard };
  const forced = { by, reason, at: iso(now) };
  return {
    contract: { ...contract, completed_at: now, updated_at: now, ...(!guard.allowed && { forced }) },
    guard: { ...overruled(guard), evidence: evidenceOf(contract, !guard.allowed) },
  };
}

/** The status of a contract. `items`: include all listed items, not only the latest. */
export function standaloneStatus(
  stored: StandaloneContract,
  options: { items?: boolean } = {},
): StandaloneStatus {
  const { completed_at, forced, ...progress } = stored;
  const { contract_id, scope } = progress;
  const guard = checkCompletionGuard(progress, { items: true });
  return {
    contract_id,
    scope,
    state: completed_at === undefined ? 'open' : 'completed',
    forced,
    ...progressView(progress, forced ? overruled(guard) : guard, options),
  };
}

/** Serializes a contract as JSON text, which can be stored anywhere. */
export function serializeState(contract: BulkProgressContract): string {
  return JSON.stringify(contract);
}

/**
 * Parses a text that `serializeState` returned.
 * @throws BatchgateError `INVALID_INPUT` with the path of the mistake.
 */
export function parseState(text: string): BulkProgressContract {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    value = undefined;
  }
  return parseInput(bulkProgressContractSchema, value, 'The progress contract');
}
