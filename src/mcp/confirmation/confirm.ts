import type { InputRequiredResult } from '@modelcontextprotocol/server';
import { getBulkStatus } from '../../client';
import { BatchgateError } from '../../contract/errors';
import type { BulkStatus } from '../../contract/operation';
import { approvalUrl, type Call } from '../context';
import type { Answer } from '../results';
import { sdk } from '../sdk';
import { answerForm, askByForm } from './form';
import { askHost } from './ask-host';
import { passBack, passOn } from './message';
import type { ShownGate } from '../../client/shown-gates';
import { awaitBatch, awaitPerson, isUnderway, outcomeOf, told, type Asked } from './outcome';

/**
 * Asks the person to confirm the open batch, in the way that the operator chose, and returns the outcome. The agent's
 * own messages confirm nothing, unless the operator chose to trust them.
 */
export async function confirm(input: Asked, call: Call): Promise<Answer | InputRequiredResult> {
  const { client, context, abilities, request } = call;
  const status = await getBulkStatus(client, input.operation_id);
  if (request.inputResponses !== undefined || request.requestState() !== undefined)
    return context.confirm === 'elicit' && abilities.form ? answerForm(input, call) : answerLink(input, call);
  const back =
    status.state === 'scheduled' && context.confirm === 'message' ? await passBack(input, call) : undefined;
  if (back) return back;
  if (isUnderway(status.state)) return awaitBatch(call, input);
  const decision = outcomeOf(status, input.batch);
  if (decision) return told(call, status, decision);
  const gate = openGate(status, input.batch);
  if (context.confirm === 'message') return passOn(input, call, status, gate);
  if (context.confirm === 'elicit' && abilities.form) return askByForm(call, status, gate);
  if (abilities.url) return askByLink(call, status, gate);
  return awaitPerson(call, input.operation_id, gate);
}

/** @throws BatchgateError if another question is open, or none. */
function openGate({ next_batch: open }: BulkStatus, batch: number): ShownGate {
  if (!open)
    throw new BatchgateError(
      'NOT_AWAITING_CONFIRMATION',
      'No batch waits for a confirmation.',
      'Call get_bulk_status and follow its next_step.',
    );
  if (open.number !== batch)
    throw new BatchgateError(
      'STALE_CONFIRMATION',
      `Batch ${batch} is not the one that waits for a confirmation: batch ${open.number} is.`,
      'Call get_bulk_status, show the person that batch, and ask for it.',
    );
  return { batch, attempt: open.attempt, digest: open.digest };
}

const KEY = 'approval';

/** Makes the host open the approval page, if its client supports that. Only a decision on that page counts. */
async function askByLink(call: Call, status: BulkStatus, gate: ShownGate): Promise<InputRequiredResult> {
  const { operation_id, batches_total } = status;
  const link = sdk().inputRequired.elicitUrl({
    message: `batchgate asks about batch ${gate.batch} of ${batches_total}. See it and decide on this page.`,
    url: await approvalUrl(call.context, operation_id),
  });
  return askHost(call, operation_id, gate, { [KEY]: link });
}

/** The host reports whether it opened the page. */
async function answerLink(input: Asked, call: Call): Promise<Answer> {
  const { context, caller, request, client } = call;
  const { operation_id } = input;
  const { batch, attempt, digest } = context.seal.use(request.requestState(), input, caller.id);
  const response = sdk().inputResponse(request.inputResponses, KEY);
  if (response.kind === 'elicit' && response.action === 'accept')
    return awaitPerson(call, operation_id, { batch, attempt, digest });
  return told(call, await getBulkStatus(client, operation_id), 'no_decision');
}
