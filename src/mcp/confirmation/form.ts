import type { InputRequiredResult } from '@modelcontextprotocol/server';
import { z } from 'zod';
import { beginBatch, cancelBulkOperation, getBulkStatus, reviseBulkOperation } from '../../client';
import { BatchgateError } from '../../contract/errors';
import { MAX_GUIDANCE_CHARACTERS } from '../../contract/messages';
import type { BulkStatus } from '../../contract/operation';
import { cutAt } from '../../contract/text';
import { presentBatchItems, presentBulkStatus } from '../../core/bulk/presenter';
import type { Call } from '../context';
import type { Answer } from '../results';
import { sdk } from '../sdk';
import { byMcp } from '../caller';
import { askHost } from './ask-host';
import { awaitPerson, outcomeOf, told, type Asked } from './outcome';
import type { Sealed } from './seal';
import type { ShownGate } from '../../client/shown-gates';

const KEY = 'decision';
const NOTE = 'answered in a form of the MCP host';
const MAX_REASON = 400;

const formSchema = z.object({
  decision: z.enum(['continue', 'cancel', 'send back', 'not now']).describe('What to do with this batch'),
  note: z.string().max(MAX_GUIDANCE_CHARACTERS).optional().describe('To send it back: what to do instead'),
  exclude: z.string().max(2_000).optional().describe('Numbers of items to leave out, such as 2, 5'),
});
/** Also accepts texts over their limits: the person has decided, and a refusal says what to correct. */
const answerSchema = formSchema.extend({ note: z.string().optional(), exclude: z.string().optional() });

/** Shows the person the whole question in a form of the host. */
export function askByForm(call: Call, status: BulkStatus, gate: ShownGate): Promise<InputRequiredResult> {
  const message = [presentBulkStatus(status), presentBatchItems(status), `Digest: ${gate.digest}`].join('\n');
  const form = sdk().inputRequired.elicit({ message, requestedSchema: formSchema });
  return askHost(call, status.operation_id, gate, { [KEY]: form });
}

/** Executes the form's decision: once per form, and only for the batch that the form showed. */
export async function answerForm(input: Asked, call: Call): Promise<Answer> {
  const { context, caller, request, client } = call;
  const { operation_id } = input;
  const sealed = context.seal.use(request.requestState(), input, caller.id);
  const form = sdk().acceptedContent(request.inputResponses, KEY, answerSchema);
  const note = form?.note?.trim() ?? '';
  const status = await getBulkStatus(client, operation_id);
  if (form?.decision === 'cancel') {
    // The form is for one question: once that is answered, it cannot cancel either.
    if (status.next_batch?.digest !== sealed.digest) return told(call, status, outcomeNow(status, sealed));
    const decision_id = `mcp-${sealed.nonce}`;
    const reason = note === '' ? NOTE : cutAt(`${NOTE}: ${note}`, MAX_REASON);
    await cancelBulkOperation(client, operation_id, { by: caller.name, decision_id, reason }, byMcp(context));
    return told(call, await getBulkStatus(client, operation_id), 'cancelled');
  }
  if (form?.decision === 'send back') {
    if (note === '') throw incorrect('The form sends the question back without saying what to do instead.');
    if (note.length > MAX_GUIDANCE_CHARACTERS) throw incorrect(TOO_LONG);
    const { batch, attempt, digest, nonce } = sealed;
    const gate = { batch, attempt, digest, decision_id: `mcp-${nonce}` };
    await reviseBulkOperation(client, operation_id, { ...gate, note, by: caller.name }, byMcp(context));
    return told(call, await getBulkStatus(client, operation_id), 'sent_back');
  }
  // The note may limit what is to run, and a batch runs as it was shown.
  if (form?.decision === 'continue' && note !== '') throw incorrect(MISPLACED);
  if (form?.decision !== 'continue') return told(call, status, form ? 'declined' : 'no_decision');
  return run(call, sealed, exclusionsOf(status, sealed, form.exclude));
}

const TOO_LONG = `The note is longer than ${MAX_GUIDANCE_CHARACTERS} characters.`;
const MISPLACED = 'A note belongs to "send back"; items to leave out belong to "exclude", by their numbers.';

const incorrect = (message: string) =>
  new BatchgateError(
    'INVALID_INPUT',
    `${message} Nothing ran.`,
    'Call continue_bulk_operation again, so that the person can correct the form.',
  );

const outcomeNow = (status: BulkStatus, { batch, attempt }: Sealed) =>
  outcomeOf(status, batch, attempt) ?? 'question_changed';

async function run(call: Call, sealed: Sealed, exclude: { id: string }[]): Promise<Answer> {
  const { operation_id, batch, attempt, digest, nonce } = sealed;
  const confirmation = {
    ...{ batch, attempt, digest, by: call.caller.name, note: NOTE, decision_id: `mcp-${nonce}` },
    ...(exclude.length > 0 && { exclude }),
  };
  await beginBatch(call.client, operation_id, confirmation, byMcp(call.context));
  return awaitPerson(call, operation_id, { batch, attempt, digest });
}

/** @throws BatchgateError `INVALID_INPUT` for text that does not name numbers of the shown list. */
function exclusionsOf({ next_batch }: BulkStatus, { digest }: Sealed, text = ''): { id: string }[] {
  const items = next_batch?.digest === digest ? next_batch.items : [];
  return text
    .split(/[\s,;]+/)
    .filter((part) => part !== '')
    .map((part) => {
      const item = /^\d{1,4}$/.test(part) ? items[Number(part) - 1] : undefined;
      if (item) return { id: item.id };
      throw incorrect('The items to leave out are not numbers of the list that was shown.');
    });
}
