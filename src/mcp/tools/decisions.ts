import { z } from 'zod';
import { getBulkItems, getBulkStatus } from '../../client';
import { resolveRequestSchema } from '../../contract/messages';
import type { BulkStatus, Confirmation } from '../../contract/operation';
import { textSchema } from '../../contract/text';
import { BatchgateError } from '../../contract/errors';
import { isClosed } from '../../core/bulk/transitions';
import { checkReach } from '../caller';
import { confirm } from '../confirmation/confirm';
import { waitFor } from '../confirmation/waiting';
import type { Call } from '../context';
import type { Answer } from '../results';
import { CHANGES, mcpTool, PLANS, type McpTool } from '../tool';
import { decisionOf, decisionViewSchema } from '../views';
import { operation_id } from './operations';

/** A person's decisions: an agent asks, waits, and gets the outcome. */
export const DECISION_TOOLS: readonly McpTool[] = [
  mcpTool({
    name: 'continue_bulk_operation',
    title: 'Ask to continue a bulk operation',
    description:
      'Asks the person to confirm the open batch, waits for the decision, and answers with the outcome once that batch has run. It never confirms by itself: the person decides on the page approval_url, so show the link before you call. decision "waiting" means that nobody decided yet and nothing ran: call it again with the same batch. One call is about exactly one batch.',
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
    asks: true,
    traits: { ...CHANGES, idempotentHint: true },
    async run(args, call) {
      await checkReach(call.client, call.caller, args.operation_id);
      return confirm(args, call);
    },
  }),
  mcpTool({
    name: 'complete_bulk_operation',
    title: 'Ask to complete a bulk operation',
    description:
      'Asks the person to call an operation complete although items are missing or in doubt, and waits for the decision on the page approval_url. Operations whose items all ran complete by themselves.',
    input: z.strictObject({ operation_id }),
    output: decisionViewSchema,
    asks: true,
    traits: PLANS,
    run: ({ operation_id: id }, call) =>
      ask(call, id, decided('complete'), 'Only a person completes an operation.'),
  }),
  mcpTool({
    name: 'extend_bulk_operation',
    title: 'Ask for more time',
    description:
      'Asks the person to give the open question a later deadline, and waits for the decision on the page approval_url.',
    input: z.strictObject({ operation_id }),
    output: decisionViewSchema,
    asks: true,
    traits: PLANS,
    run: ({ operation_id: id }, call) =>
      ask(call, id, decided('extend'), 'Only a person extends a deadline.'),
  }),
  mcpTool({
    name: 'resolve_item',
    title: 'Ask what became of an item',
    description:
      'For an item in doubt: asks the person whether the change was made, and waits for the answer on the page approval_url. Never guess it.',
    input: z.strictObject({ operation_id, item_id: resolveRequestSchema.shape.item_id }),
    output: decisionViewSchema,
    asks: true,
    traits: PLANS,
    run: ({ operation_id: id, item_id }, call) =>
      ask(call, id, resolved(call, id, item_id), 'Only a person says what became of an item.'),
  }),
];

/** Whether a person has decided since `before`. */
type IsDecided = (status: BulkStatus, before: BulkStatus) => boolean | Promise<boolean>;

/** Waits for a decision that is made from now on. */
async function ask(call: Call, operationId: string, isDecided: IsDecided, rule: string): Promise<Answer> {
  await checkReach(call.client, call.caller, operationId);
  const before = await getBulkStatus(call.client, operationId);
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
  confirmations.findLast((one) => one.decision === kind && one.outcome === 'accepted')?.at;

/** Decided by the outcome of this item, whatever the outcomes of others are. */
function resolved({ client }: Call, operationId: string, itemId: string): IsDecided {
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
