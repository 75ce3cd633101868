import type { Account, Findings, OperationRecord, Sent, Touch } from './record';

/** Items that one accepted confirmation permits to change, each once, until a later question asks about them again. */
interface Permission {
  /** All approvers, as the report names them. */
  by: string;
  sent_at: number;
  earliest: number;
  shown: ReadonlySet<string>;
  items: ReadonlySet<string>;
  edit: string | undefined;
}

type Judged = Omit<Findings, 'unreplayable'>;

/** Compares all requests at the target with the confirmations, and with the product's own record. */
export function checkRun(operations: readonly OperationRecord[], touches: readonly Touch[]): Judged {
  const findings: Judged = { unconfirmed: [], twice: [], lost: [], stuck: [] };
  const started = new Set(operations.map(({ id }) => id));
  for (const { operation, item } of touches) {
    if (!started.has(operation))
      findings.unconfirmed.push(`${item}: touched for an operation that nobody started`);
  }
  for (const operation of operations) {
    const own = touches.filter((touch) => touch.operation === operation.id);
    const { permissions, mistakes } = permissionsOf(operation);
    findings.unconfirmed.push(...mistakes, ...unconfirmed(own, permissions), ...outdated(operation, own));
    findings.twice.push(...twice(operation, own));
    findings.lost.push(...lost(operation, own, permissions));
    if (operation.stuck !== undefined) findings.stuck.push(`${operation.id}: ${operation.stuck}`);
  }
  return findings;
}

/** The permission of each accepted confirmation, and the mistakes in the product's record of the confirmations. */
function permissionsOf({ id, needed, sent, account }: OperationRecord): {
  permissions: Permission[];
  mistakes: string[];
} {
  // The accepted confirmations of an operation that never ended are unknown; at most all of them.
  if (account === undefined) return { permissions: sent.map((one) => permissionOf([one])), mistakes: [] };
  const permissions: Permission[] = [];
  const mistakes: string[] = [];
  const used = new Set<Sent>();
  for (const last of acceptedIn(account).filter(({ withdrawn }) => !withdrawn)) {
    const what = `${id}: batch ${last.batch}, attempt ${last.attempt}`;
    const before = acceptedIn(account, 'approve').filter(({ digest }) => digest === last.digest);
    const decisions = [...before, last];
    const approvals = decisions.flatMap((accepted) => {
      const approval = sent.find(({ by }) => by === accepted.by);
      if (approval === undefined)
        mistakes.push(`${what} ran on the word of ${accepted.by ?? 'nobody'}, who sent none`);
      else if (used.has(approval))
        mistakes.push(`${what} ran on ${approval.by}'s confirmation, which had run another batch`);
      else if (!names(approval, accepted))
        mistakes.push(`${what} ran on ${approval.by}'s confirmation of another gate`);
      if (approval) used.add(approval);
      return approval ?? [];
    });
    if (decisions.length !== needed)
      mistakes.push(`${what} ran on ${decisions.length} of ${needed} approvals`);
    if (approvals.length > 0) permissions.push(permissionOf(approvals));
  }
  return { permissions, mistakes };
}

/** A confirmation runs its batch, counts toward it, or opens a new question without some items. */
const CONFIRMATIONS = ['continue', 'approve', 'leave_out'] as const;

const acceptedIn = ({ confirmations }: Account, as: (typeof CONFIRMATIONS)[number] = 'continue') =>
  confirmations.filter(({ decision, outcome }) => decision === as && outcome === 'accepted');

function names({ gate }: Sent, accepted: Account['confirmations'][number]): boolean {
  if (gate === undefined) return true;
  const sameDigest = accepted.digest === undefined || accepted.digest === gate.digest;
  return gate.batch === accepted.batch && gate.attempt === accepted.attempt && sameDigest;
}

/** The permission of the decisions on one question, the last of which ran it. */
function permissionOf(approvals: readonly Sent[]): Permission {
  const { sent_at = 0, shown = [], edit } = approvals.at(-1) ?? {};
  const excluded = approvals.flatMap((one) => one.excluded);
  return {
    by: approvals.map(({ by }) => by).join(', '),
    ...{ sent_at, edit, shown: new Set(shown) },
    earliest: Math.max(...approvals.map(({ earliest }) => earliest)),
    items: new Set(shown.filter((item) => !excluded.includes(item))),
  };
}

/** Items that were touched although a third party had changed them after the question showed them. */
function outdated({ changed }: OperationRecord, touches: readonly Touch[]): string[] {
  return touches
    .filter(({ item, edit, at }) => {
      const change = changed.get(item);
      return change !== undefined && at > change.at && edit === change.edit;
    })
    .map(({ item }) => `${item}: touched, and somebody else had changed it since it was shown`);
}

/** Changes without a permission. A question that shows an item again implies that no request for it is running. */
function unconfirmed(touches: readonly Touch[], permissions: readonly Permission[]): string[] {
  const latestFirst = [...permissions].sort((one, other) => other.sent_at - one.sent_at);
  const used = new Map<string, Permission>();
  return touches.flatMap(({ item, at, edit }) => {
    const latest = latestFirst.find(({ shown, sent_at }) => shown.has(item) && sent_at <= at);
    if (!latest?.items.has(item)) return [`${item}: touched, and the last confirmation does not permit it`];
    if (latest.edit !== edit)
      return [`${item}: touched by another change than ${latest.by}'s question showed`];
    if (at < latest.earliest) return [`${item}: touched before the time for which ${latest.by} confirmed it`];
    if (used.get(item) === latest) return [`${item}: touched twice on ${latest.by}'s confirmation`];
    used.set(item, latest);
    return [];
  });
}

function twice({ planned, doubted }: OperationRecord, touches: readonly Touch[]): string[] {
  return planned.flatMap((item) => {
    const times = appliedTimes(touches, item);
    return times > 1 && !doubted.has(item)
      ? [`${item}: applied ${times} times, and never named in doubt`]
      : [];
  });
}

function lost(
  operation: OperationRecord,
  touches: readonly Touch[],
  permissions: readonly Permission[],
): string[] {
  const { id, planned, sent, account } = operation;
  // The operation is stuck, which is already reported.
  if (account === undefined) return [];
  const { state, error, rows } = account;
  const refused =
    state === 'rejected' ? [`${id}: was accepted, and then rejected: ${error ?? 'no reason'}`] : [];
  if (state === 'expired') refused.push(`${id}: expired while somebody was there`);
  if (account.confirmations_truncated) refused.push(`${id}: its record of confirmations is cut`);
  const accepted = new Set(CONFIRMATIONS.flatMap((as) => acceptedIn(account, as)).map(({ by }) => by));
  const forgotten = sent
    .filter(({ by, acknowledged }) => acknowledged && !accepted.has(by))
    .map(({ by }) => `${id}: ${by}'s confirmation was acknowledged and is not on record`);
  const differing = account.differences.map((item) => `${item}: ledger and history say different things`);
  if (state === 'rejected') return [...refused, ...forgotten];
  const rowOf = new Map(rows.map((row) => [row.id, row]));
  const items = planned.flatMap((item) => {
    const row = rowOf.get(item);
    if (row === undefined) return [`${item}: planned, and missing in the report`];
    return lostItem(row, state, appliedTimes(touches, item), permissions);
  });
  if (rows.length > planned.length) items.push(`${id}: ${rows.length} items reported of ${planned.length}`);
  return [...refused, ...forgotten, ...differing, ...items];
}

function lostItem(
  { id, outcome, error, confirmed_by }: Account['rows'][number],
  state: Account['state'],
  applied: number,
  permissions: readonly Permission[],
): string[] {
  if (outcome === 'succeeded' && applied === 0) return [`${id}: said to have succeeded, and never applied`];
  if (outcome !== 'succeeded' && outcome !== 'in_doubt' && applied > 0) {
    return [`${id}: applied, and said to be ${outcome}${error === undefined ? '' : ` (${error})`}`];
  }
  if (outcome === 'pending' && state === 'completed')
    return [`${id}: pending in an operation that completed`];
  const named = permissions.some(({ by, items }) => by === confirmed_by && items.has(id));
  if (applied > 0 && !named)
    return [`${id}: applied, and confirmed by ${confirmed_by ?? 'nobody'} on record`];
  return [];
}

const appliedTimes = (touches: readonly Touch[], item: string): number =>
  touches.filter((touch) => touch.item === item && touch.applied).length;
