import { parseInput } from '../contract/errors';
import { bulkProgressContractSchema, type BulkProgressContract } from '../contract/progress';

/** A contract as JSON text, to be kept anywhere. */
export function serializeState(contract: BulkProgressContract): string {
  return JSON.stringify(contract);
}

/**
 * The contract of a text that `serializeState` made.
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
