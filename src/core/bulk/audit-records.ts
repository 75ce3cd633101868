import type { Confirmed, Exclusion, PlanRecord, RecordResolutionInput } from '../../contract/activities';
import type { AuditRecord } from '../../contract/audit';
import type { AdoptInput } from '../../contract/edits';
import type { Claim } from '../../contract/ledger';
import type { BulkStatus, Confirmation } from '../../contract/operation';
import { digestOf } from '../shared/canonical';

/** The rows of the audit record for the facts of an operation. */

/** A decision, accepted or refused. */
export function decisionRecord({ by, note, ...facts }: Confirmation): AuditRecord {
  const { decision, batch, attempt, outcome, at, via } = facts;
  const fact = `decision ${digestOf([decision, batch, attempt, outcome, at, via, by])}`;
  return { kind: 'decision', facts: { ...facts, private: { by, note } }, fact };
}

/** A claim of a batch: the decision that it runs on, and what of the question is run. */
export function claimRecords(
  { batch, epoch }: Claim,
  { question, ...decided }: Confirmed,
  left_out: readonly Exclusion[],
): AuditRecord[] {
  const { attempt = 1, digest, asked_at, shown_at, door, note, ...evidence } = question ?? {};
  return [
    decisionRecord({
      ...{ batch, attempt, decision: 'continue', outcome: 'accepted', ...decided },
      ...{ note, digest, door, asked_at, shown_at },
    }),
    {
      kind: 'batch',
      facts: {
        ...{ batch, attempt, epoch, digest },
        items: left_out.map(({ index, reason }) => ({ index, outcome: 'skipped', private: { reason } })),
        private: evidence,
      },
      fact: `batch ${batch} ${epoch}`,
    },
  ];
}

/** Items that a confirmation left out, written when its batch was fenced. */
export const exclusionRecord = (
  { batch, epoch }: Claim,
  left_out: readonly { index: number; error?: string }[],
): AuditRecord => ({
  kind: 'outcomes',
  facts: {
    ...{ batch, epoch },
    items: left_out.map(({ index, error: reason }) => ({ index, outcome: 'skipped', private: { reason } })),
  },
  fact: `left out ${batch} ${epoch}`,
});

export function planRecord(plan: PlanRecord, items: number): AuditRecord {
  const { run_id, session_id, requested_by, metadata, terms, context, change, change_params, undoes } = plan;
  const { offset = 0, batch_size } = plan;
  const own = { run_id, session_id, requested_by, metadata, terms, change, change_params };
  return {
    kind: 'planned',
    facts: {
      ...{
        domain: context.tool_name,
        action: context.action,
        from: offset,
        items_planned: items,
        batch_size,
      },
      ...(undoes !== undefined && { undoes }),
      private: own,
    },
    fact: `planned ${digestOf([own, offset, items])}`,
  };
}

export const editRecord = ({ edition, attempt, edit }: Omit<AdoptInput, 'store_id'>): AuditRecord => ({
  kind: 'edited',
  facts: { edition, attempt, at: edit.at, digest: edit.digest, private: { edit } },
  fact: `edited ${edition}`,
});

export function resolutionRecord({
  index,
  outcome,
  reason,
  by,
  at,
  assurance,
}: RecordResolutionInput): AuditRecord {
  return {
    kind: 'resolved',
    facts: { items: [{ index, outcome, at, assurance, private: { by, reason } }] },
    fact: `resolved ${index} ${at}`,
  };
}

/** The decisions that a status shows, and the end of the operation. */
export function endRecords(status: BulkStatus): AuditRecord[] {
  const { state, total, succeeded, failed, skipped, in_doubt, remaining, confirmations, updated_at } = status;
  const { domain, action, error, forced, sent_back } = status;
  const counts = { total, succeeded, failed, skipped, in_doubt, remaining };
  return [
    ...confirmations.map(decisionRecord),
    {
      kind: 'ended',
      facts: {
        ...{ domain, action, state, ...counts, ended_at: updated_at },
        ...(error && { code: error.code }),
        ...(forced && { forced: true }),
        private: { error: error?.message, forced, sent_back },
      },
      fact: `ended ${digestOf([state, counts, updated_at])}`,
    },
  ];
}
