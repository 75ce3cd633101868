import { getBulkStatus } from '../../client';
import { BatchgateError } from '../../contract/errors';
import type { BulkStatus } from '../../contract/operation';
import { selectionOf } from '../../core/approval/selection';
import type { ApiContext } from '../context';
import { needsPasskey, unsigned } from '../passkeys/signing';
import { places, required, text, whole, type Fields } from './forms';
import { laterIn } from './scheduled';
import { refuseUnsettled } from './showing';

/**
 * The decision in a form. `sent`: false while a browser only asks for the challenge to sign.
 * @throws BatchgateError `STALE_CONFIRMATION` if the ticks differ from the question shown, `QUESTION_NOT_SEEN` if the
 * question was not shown for long enough, `FORBIDDEN` if the form is `sent` without a signature that it needs.
 */
export async function confirmationOf(
  context: ApiContext,
  reader: string,
  id: string,
  fields: Fields,
  sent = true,
) {
  const [batch, attempt] = [whole(fields, 'batch'), whole(fields, 'attempt')];
  const decision = {
    batch,
    attempt,
    digest: required(fields, 'digest', 'The digest'),
    decision_id: required(fields, 'decision_id', 'The decision id'),
  };
  const status = await getBulkStatus(context.client, id);
  const { next_batch: gate } = status;
  // Another question is open: the workflow refuses the decision and records the refusal.
  if (gate?.digest !== decision.digest) return { ...decision, note: undefined };
  if (sent && needsPasskey(status) && !fields.has('passkey')) throw unsigned();
  const delivered = { batch: gate.number, digest: gate.digest, stamp: fields.get('shown_at') };
  refuseUnsettled(context, reader, delivered);
  const selection = selectionOf(gate, places(fields, 'keep'));
  if (selection.digest !== fields.get('shown')) throw otherTicks();
  const reason = text(fields, 'reason');
  const exclude = selection.left_out.map((item) => ({
    id: item.id,
    reason,
  }));
  const note = text(fields, 'note');
  return { ...decision, ...laterIn(fields), note, ...(exclude.length > 0 && { exclude }) };
}

const otherTicks = () =>
  new BatchgateError(
    'STALE_CONFIRMATION',
    'You ticked other items than the question was about.',
    'Below is the question as you changed it. Read it, then decide.',
  );

/** The positions ticked in a query or a form, if its question is still open. */
export function keptOf({ next_batch: gate }: BulkStatus, query: URLSearchParams): number[] | undefined {
  return gate && query.get('digest') === gate.digest ? places(query, 'keep') : undefined;
}
