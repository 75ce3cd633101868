import type { Client } from '@temporalio/client';
import type { BulkStatus, BulkTurn } from '../contract/operation';
import { cutAt } from '../contract/text';
import type { Heard } from '../core/intent/conversation';
import { readEdit, wishedEdit } from '../core/intent/editing';
import { getChangeParams } from './editable';
import { questionMeant } from './message-actions';
import { editBulkOperation } from './operations';
import type { DecisionOptions } from './signer';

const MAX_NOTE = 400;

/** The parameters of an edit that a message asks for, such as `label it Archive instead`; undefined for any other one. */
export async function editMeant(
  client: Client,
  { operation_id, action, next_batch: gate }: BulkStatus,
  text: string,
): Promise<Record<string, unknown> | undefined> {
  const wish = gate && readEdit(text);
  if (!wish) return undefined;
  return wishedEdit(wish, await getChangeParams(client, operation_id), { action, change: gate.change });
}

/** Edits the change of the question that the person was shown. Nothing runs: another question is open then. */
export function editByMessage(
  client: Client,
  status: BulkStatus,
  change: Record<string, unknown>,
  context: Parameters<typeof questionMeant>[1] & Heard & DecisionOptions & { by?: string },
): Promise<BulkTurn> {
  const { message_id: decision_id, by, text, vouch, approver, door, shown } = context;
  const { batch, attempt, digest } = questionMeant(status, context);
  const asked = { change, batch, attempt, digest, decision_id, by, note: cutAt(text.trim(), MAX_NOTE) };
  return editBulkOperation(client, status.operation_id, asked, { vouch, approver, door, shown });
}

/** Above the question that an edit asks. */
export const EDITED = 'The change was edited, and nothing was run. This is the question now:';
