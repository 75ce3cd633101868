import type { InputRequiredResult } from '@modelcontextprotocol/server';
import { getBulkStatus } from '../../client';
import type { BulkStatus } from '../../contract/operation';
import { approvalUrl, type Call } from '../context';
import type { Answer } from '../results';
import { sdk } from '../sdk';
import { askHost } from './ask-host';
import { awaitPerson, told, type Asked } from './outcome';
import type { ShownGate } from '../../client/shown-gates';

const KEY = 'approval';

/** Has the host open the approval page, if its client supports that. Only a decision on that page counts. */
export async function askByLink(
  call: Call,
  status: BulkStatus,
  gate: ShownGate,
): Promise<InputRequiredResult> {
  const { operation_id, batches_total } = status;
  const link = sdk().inputRequired.elicitUrl({
    message: `batchgate asks about batch ${gate.batch} of ${batches_total}. See it and decide on this page.`,
    url: await approvalUrl(call.context, operation_id),
  });
  return askHost(call, operation_id, gate, { [KEY]: link });
}

/** The host reports whether it opened the page. */
export async function answerLink(asked: Asked, call: Call): Promise<Answer> {
  const { context, caller, request, client } = call;
  const { operation_id } = asked;
  const { batch, attempt, digest } = context.seal.use(request.requestState(), asked, caller.id);
  const response = sdk().inputResponse(request.inputResponses, KEY);
  if (response.kind === 'elicit' && response.action === 'accept')
    return awaitPerson(call, operation_id, { batch, attempt, digest });
  return told(call, await getBulkStatus(client, operation_id), 'no_decision');
}
