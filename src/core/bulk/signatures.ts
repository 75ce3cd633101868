import type { ErrorBody } from '../../contract/errors';
import type { Signed } from '../../contract/messages';
import type { Confirmation } from '../../contract/operation';
import type { Approver } from '../../contract/policy';
import { isProven, type Decided } from '../access/proof';
import { fingerprintOf } from '../progress/fingerprints';
import { senderOf } from './approvers';
import { gateKey, openGate, type OperationState, type UsedSignatures } from './operation';

/** The number of signatures that are stored. For older ones, only the time of the latest is stored. */
const MAX_USED = 50;

/** Checks the signature of a decision: what it proves, and why the decision is refused, if it is. */
export interface Attested {
  assurance: Confirmation['assurance'];
  /** Who decides, as far as a door vouches for it. */
  approver: Approver;
  /** The signature is ours, and is used by this decision. */
  proven?: true;
  refusal?: ErrorBody;
}

/**
 * The sender's claim names the person who decided, unless the HTTP API's signature proves that the person signed in. A
 * signature is valid for one run, for the question that was open, and once: every client of Temporal can read it in the
 * history, and send it again. What another key signed proves nothing, so it counts as the sender's claim.
 */
export function attested(state: OperationState, decided: Omit<Decided, 'operation_id'>): Attested {
  const { operation_id, first_run_id, public_key, signatures } = state;
  const { signed, approver } = decided.request;
  const sender = senderOf(decided.request);
  const asserted: Attested = { assurance: 'asserted', approver: sender };
  if (!signed || public_key === undefined || !isProven({ operation_id, ...decided }, public_key))
    return asserted;
  const why =
    signed.run_id !== first_run_id
      ? 'was signed for another run under this id'
      : isUsed(signed, signatures)
        ? 'was signed for one use, and has been used'
        : ANSWERS.has(decided.decision) && signed.question !== questionOf(state)
          ? 'was signed for another question'
          : undefined;
  if (why !== undefined) return { ...asserted, refusal: notForThis(why) };
  const person: Approver = approver ?? { ...sender, assurance: 'session' };
  const assurance = signed.signature === undefined ? person.assurance : 'signed';
  return { assurance, approver: { ...person, assurance }, proven: true };
}

/** The others end the operation or settle one item, whichever question is open. */
const ANSWERS: ReadonlySet<string> = new Set<Confirmation['decision']>([
  'continue',
  'extend',
  'revise',
  'withdraw',
  'edit',
]);

/** The digest of the question that is open, or whose batch is scheduled. */
const questionOf = (state: OperationState): string | undefined =>
  openGate(state)?.digest ??
  (state.state === 'scheduled' ? state.accepted[gateKey(state.batch, state.attempt)]?.digest : undefined);

/** The state in which this signature can no longer be used. */
export function withUsed(state: OperationState, { signed }: Decided['request']): OperationState {
  if (!signed) return state;
  const { latest, until } = state.signatures ?? { latest: [] };
  const all = [...latest, { mark: markOf(signed), at: signed.at }].sort((a, b) => (a.at < b.at ? -1 : 1));
  const forgotten = all.slice(0, -MAX_USED).at(-1)?.at ?? until;
  return {
    ...state,
    signatures: { latest: all.slice(-MAX_USED), ...(forgotten !== undefined && { until: forgotten }) },
  };
}

const markOf = ({ decision_id }: Signed): string => fingerprintOf(decision_id).slice(0, 16);

/** Only times of the HTTP API are compared: clocks differ. */
function isUsed(signed: Signed, { latest, until }: UsedSignatures = { latest: [] }): boolean {
  if (until !== undefined && signed.at <= until) return true;
  return latest.some(({ mark }) => mark === markOf(signed));
}

const notForThis = (why: string): ErrorBody => ({
  code: 'STALE_CONFIRMATION',
  message: `This decision of a signed-in person ${why}.`,
  hint: 'Read the status again, and decide at the door where you are signed in; nothing was done.',
});

/** The signature of a resolution that came after the end of another run. */
export const OTHER_RUN = notForThis('was signed for another run under this id');

/** The HTTP API sends updates, so a signal with a signature repeats what somebody read. */
export const SIGNED_SIGNAL = notForThis('was signed for an update');
