import { z } from 'zod';
import { getBulkItems, getBulkStatus } from '../../client';
import {
  completeCommand,
  continueCommand,
  editCommand,
  extendCommand,
  resolveCommand,
  reviseCommand,
} from '../../commands/decisions';
import { operation_id } from '../../commands/fields';
import type { BulkStatus, Confirmation } from '../../contract/operation';
import { textSchema } from '../../contract/text';
import { BatchgateError } from '../../contract/errors';
import { isClosed } from '../../core/bulk/transitions';
import { confirm } from '../confirmation/confirm';
import { told } from '../confirmation/outcome';
import { waitFor } from '../confirmation/waiting';
import type { Call } from '../context';
import type { Answer } from '../results';
import { decisionOf, decisionViewSchema } from '../views';
import type { OwnTool } from './commands';

/** A person's decisions: an agent asks, waits, and gets the outcome. */
export const ASKING: Readonly<Record<string, OwnTool>> = {
  [continueCommand.name]: {
    input: z.strictObject({
      operation_id,
      batch: z
        .number()
        .int()
        .min(1)
        .describe('next_batch.number of the status that you showed to the person'),
      person_message: textSchema(2_000)
        .optional()
        .describe(
          "The person's answer, word for word. Never write it yourself; it counts only where the operator allows it",
        ),
    }),
    output: decisionViewSchema,
    run: confirm,
  },
  [completeCommand.name]: asking(() => decided('complete'), 'Only a person completes an operation.'),
  [extendCommand.name]: asking(() => decided('extend'), 'Only a person extends a deadline.'),
  [editCommand.name]: asking(() => decided('edit'), 'Only a person edits the change.'),
  [resolveCommand.name]: asking(resolved, 'Only a person says what became of an item.'),
  [reviseCommand.name]: asking(() => decided('revise'), 'Only a person sends a question back.'),
};

interface Named {
  operation_id: string;
  item_id?: string;
}

function asking(isDecided: (target: Named, call: Call) => IsDecided, rule: string): OwnTool {
  return {
    output: decisionViewSchema,
    run: (target: Named, call) => ask(call, target.operation_id, isDecided(target, call), rule),
  };
}

/** Whether a person has decided since `before`. */
type IsDecided = (status: BulkStatus, before: BulkStatus) => boolean | Promise<boolean>;

/** Waits for a decision that is made from now on. */
async function ask(call: Call, operationId: string, isDecided: IsDecided, rule: string): Promise<Answer> {
  const before = await getBulkStatus(call.client, operationId);
  if (before.sent_back) return told(call, before, 'sent_back');
  if (isClosed(before.state))
    throw new BatchgateError(
      'OPERATION_CLOSED',
      `The operation is ${before.state}; it takes no more decisions.`,
      'Call get_bulk_report for what was done, and start a new operation for the rest.',
    );
  const isOver = async (status: BulkStatus) => isClosed(status.state) || isDecided(status, before);
  await waitFor(call, operationId, isOver);
  // The decision may follow the last status that was read.
  const after = await getBulkStatus(call.client, operationId);
  if (after.sent_back) return told(call, after, 'sent_back');
  if (await isDecided(after, before)) return decisionOf(call, after, 'confirmed', 'The person decided.');
  if (isClosed(after.state)) return decisionOf(call, after, 'ended', 'The operation has ended.');
  return decisionOf(call, after, 'waiting', `${rule} Give them the link approval_url, and call this again.`);
}

/** Decided by another accepted decision of this kind. */
const decided =
  (kind: Confirmation['decision']): IsDecided =>
  (status, before) =>
    latest(status, kind) !== latest(before, kind);

const latest = ({ confirmations }: BulkStatus, kind: Confirmation['decision']) =>
  confirmations.findLast((entry) => entry.decision === kind && entry.outcome === 'accepted')?.at;

/** Decided by the outcome of this item, whatever the outcomes of others are. */
function resolved({ operation_id: operationId, item_id: itemId }: Named, { client }: Call): IsDecided {
  const isInDoubt = async () => {
    for (let offset = 0; ;) {
      const { items, total } = await getBulkItems(client, operationId, { outcome: 'in_doubt', offset });
      if (items.some(({ id }) => id === itemId)) return true;
      offset += items.length;
      if (items.length === 0 || offset >= total) return false;
    }
  };
  return async (status, before) => {
    if (await isInDoubt()) return false;
    if (status.in_doubt < before.in_doubt) return true;
    throw new BatchgateError(
      'INVALID_INPUT',
      'This item is not in doubt.',
      'Call get_bulk_status: its errors name the items in doubt.',
    );
  };
}
