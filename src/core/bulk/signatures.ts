import type { ErrorBody } from '../../contract/errors';
import type { Signed } from '../../contract/messages';
import type { Confirmation } from '../../contract/operation';
import type { Approver } from '../../contract/policy';
import { isProven, type Decided } from '../access/proof';
import { fingerprintOf } from '../progress/fingerprints';
import { senderOf } from './approvers';
import { gateKey, openGate, type OperationState, type UsedSignatures } from './operation';

/** The maximum number of stored signatures. For older ones, only the time of the latest is stored. */
const MAX_USED = 50;

/** The result of checking the signature of a decision: what it proves, and the refusal, if there is one. */
export interface Attested {
  assurance: Confirmation['assurance'];
  /** The person who decides, as far as a door vouches for them. */
  approver: Approver;
  /** The signature is the HTTP API's, and this decision uses it. */
  proven?: true;
  refusal?: ErrorBody;
}

/**
 * Checks the signature of a decision. Without a signature of the HTTP API, which proves that the person signed in, the
 * sender's claim names the person. A signature is valid once, for one run and for the question that was open, because
 * every Temporal client can read it in the history and send it again. A signature of another key proves nothing.
 */
export function attested(state: OperationState, decided: Omit<Decided, 'operation_id'>): Attested {
  const { operation_id, first_run_id, public_key, signatures } = state;
  const { signed, approver } = decided.request;
  const sender = senderOf(decided.request);
  const asserted: Attested = { assurance: 'asserted', approver: sender };
  if (!signed || public_key === undefined || !isProven({ operation_id, ...decided }, public_key))
    return asserted;
  const reason =
    signed.run_id !== first_run_id
      ? 'was signed for another run under this id'
      : isUsed(signed, signatures)
        ? 'was signed for one use, and has been used'
        : ANSWERS.has(decided.decision) && signed.question !== questionOf(state)
          ? 'was signed for another question'
          : undefined;
  if (reason !== undefined) return { ...asserted, refusal: notForThis(reason) };
  const person: Approver = approver ?? { ...sender, assurance: 'session' };
  const assurance = signed.signature === undefined ? person.assurance : 'signed';
  return { assurance, approver: { ...person, assurance }, proven: true };
}

/** The decisions about a question. The others end the operation or settle one item, whichever question is open. */
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

/** Marks this signature as used. */
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

/** Whether a signature was used. Only times of the HTTP API are compared, because clocks differ. */
function isUsed(signed: Signed, { latest, until }: UsedSignatures = { latest: [] }): boolean {
  if (until !== undefined && signed.at <= until) return true;
  return latest.some(({ mark }) => mark === markOf(signed));
}

const notForThis = (reason: string): ErrorBody => ({
  code: 'STALE_CONFIRMATION',
  message: `This decision of a signed-in person ${reason}.`,
  hint: 'Read the status again, and decide at the door where you are signed in; nothing was done.',
});

/** The refusal of a resolution that was signed for another run and came after its end. */
export const OTHER_RUN = notForThis('was signed for another run under this id');

/** The refusal of a signed signal. The HTTP API sends only updates, so somebody copied the signature. */
export const SIGNED_SIGNAL = notForThis('was signed for an update');
