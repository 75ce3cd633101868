import {
  beginBatch,
  cancelBulkOperation,
  editBulkOperation,
  editMeant,
  getBulkStatus,
  reviseBulkOperation,
} from '../../client';
import type { BulkStatus } from '../../contract/operation';
import { cutAt } from '../../contract/text';
import { classifyBulkIntent } from '../../core/intent/classifier';
import { readGuidance } from '../../core/intent/revising';
import type { Call } from '../context';
import type { Answer } from '../results';
import { byMcp } from '../caller';
import { timeMeant } from './later';
import { awaitPerson, told, type Asked } from './outcome';
import type { ShownGate } from '../../client/shown-gates';

const MAX_NOTE = 400;

/**
 * Accepts a person's answer passed on by the agent, if the operator trusts the agent. The answer applies to the
 * question last shown to this agent, so a question that was not shown is shown first.
 */
export async function passOn(
  { operation_id, person_message }: Asked,
  call: Call,
  status: BulkStatus,
  gate: ShownGate,
): Promise<Answer> {
  const { client, caller, context } = call;
  const last = context.shown.of(caller.id, operation_id);
  if (person_message === undefined || last?.digest !== gate.digest || last.attempt !== gate.attempt)
    return told(call, status, 'waiting');
  const note = readGuidance(person_message);
  if (note) {
    await reviseBulkOperation(client, operation_id, { ...gate, note, by: caller.name }, byMcp(context));
    return told(call, await getBulkStatus(client, operation_id), 'sent_back');
  }
  const quote = `passed on by an agent: ${cutAt(person_message, MAX_NOTE)}`;
  const change = await editMeant(client, status, person_message);
  if (change) {
    await editBulkOperation(
      client,
      operation_id,
      { ...gate, change, by: caller.name, note: quote },
      byMcp(context),
    );
    return told(call, await getBulkStatus(client, operation_id), 'question_changed');
  }
  const { state, next_batch, batches_total } = status;
  const batches_left = batches_total - gate.batch + 1;
  const open = { state, batch: gate.batch, size: next_batch?.items.length ?? 0, batches_left };
  const { not_before, said } = await timeMeant(call, status, person_message, (text) =>
    classifyBulkIntent(text, open),
  );
  if (said !== undefined) return told(call, status, 'unclear', said);
  const intent = classifyBulkIntent(person_message, open);
  if (intent === 'continue') {
    await beginBatch(
      client,
      operation_id,
      { ...gate, by: caller.name, note: quote, not_before },
      byMcp(context),
    );
    return awaitPerson(call, operation_id, gate);
  }
  if (intent === 'cancel') {
    await cancelBulkOperation(client, operation_id, { by: caller.name, reason: quote }, byMcp(context));
    return told(call, await getBulkStatus(client, operation_id), 'cancelled');
  }
  return told(call, status, 'unclear');
}
