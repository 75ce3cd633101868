import type { Confirmed, Exclusion, RecordResolutionInput } from '../../contract/activities';
import type { PlanRecord } from '../../contract/plans';
import type { AuditedDecision } from '../../contract/counted-approvals';
import type { AuditRecord } from '../../contract/audit';
import type { AdoptInput } from '../../contract/edits';
import type { Claim } from '../../contract/ledger';
import type { FrozenText } from '../../contract/item-proof';
import type { BulkStatus } from '../../contract/operation';
import { digestOf } from '../shared/canonical';

/** The rows of the audit record for the facts of an operation. */

/** A decision, accepted or refused. A withdrawal has its own row. */
export function decisionRecord(entry: AuditedDecision): AuditRecord {
  const { by, note, approver, approvals, asked_since, withdrawn: _, ...facts } = entry;
  const { decision, batch, attempt, outcome, at, via } = facts;
  const fact = `decision ${digestOf([decision, batch, attempt, outcome, at, via, by])}`;
  return {
    kind: 'decision',
    facts: { ...facts, private: { by, note, ...approver, approvals, asked_since } },
    fact,
  };
}

/** The rows for the claim of a batch: its confirmation with each counted approval, and the items of the question. */
export function claimRecords(
  { batch, epoch }: Claim,
  { question, approvals, asked_since, ...confirmation }: Confirmed,
  left_out: readonly Exclusion[],
  frozen: readonly FrozenText[] = [],
): AuditRecord[] {
  const { attempt = 1, digest, asked_at, shown_at, door, note, ...evidence } = question ?? {};
  const { by, assurance } = approvals?.at(-1) ?? confirmation;
  const items = [
    ...frozen.map((item) => ({ ...item, ...left_out.find(({ index }) => index === item.index) })),
    ...left_out.filter(({ index }) => frozen.every((item) => item.index !== index)),
  ];
  return [
    decisionRecord({
      ...{ batch, attempt, decision: 'continue', outcome: 'accepted', ...confirmation, by, assurance },
      ...{ note, digest, door, asked_at, shown_at },
      ...{ approvals, asked_since },
    }),
    {
      kind: 'batch',
      facts: {
        ...{ batch, attempt, epoch, digest },
        items: items.map(({ index, ...own }) => ({
          ...{ index, private: own },
          ...('reason' in own && { outcome: 'skipped' }),
        })),
        private: evidence,
      },
      fact: `batch ${batch} ${epoch}`,
    },
  ];
}

/** The row for items that a confirmation left out, written when its batch is fenced. */
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
  const { run_id, session_id, requested_by, metadata, context } = plan;
  const { requested_subject, ...terms } = plan.terms;
  const { offset = 0, batch_size, change, change_params, undoes } = plan;
  const own = { run_id, session_id, requested_by, requested_subject, metadata, terms, change, change_params };
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

/** The rows for the decisions in a status and for the end of the operation. */
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
