import { randomUUID } from 'node:crypto';
import type { Client } from '@temporalio/client';
import { QUERIES } from '../contract/messages';
import type { BulkStatus } from '../contract/operation';
import type { Approver } from '../contract/policy';
import type { Door, Through } from '../contract/record';
import type { Decided } from '../core/access/proof';
import { describeWorkflow, firstRunIn } from './calls';
import { unlessMissing } from './failures';
import { askIf } from './messages';

/** Signs what somebody decided, and for whom it vouches; only the HTTP API can (src/core/access/proof.ts). */
export type Vouch = (decided: Decided) => string;

/** How a decision is sent. */
export interface DecisionOptions {
  vouch?: Vouch;
  /** For whom it vouches. One that is only asserted is signed where a policy asks for approvals, for its roles. */
  approver?: Approver;
  /** Where the person decides, for the record. */
  door?: Door;
  /** The question of this operation that the door showed to the person last, if it knows. */
  shown?: (operationId: string) => ShownSince | undefined;
  /** The address of the pages, where a refusal leads whose decision needs a signed-in person. */
  origin?: () => string | Promise<string>;
  /** The id of the person's verified signature with a passkey. Only what is vouched for can carry it. */
  signature?: string;
}

/** A question, and when the person was first shown it, in milliseconds since the epoch. */
interface ShownSince {
  digest: string;
  since: number;
}

/** Adds to a request where it was made, as of now. */
function throughOf(operationId: string, { door, shown }: DecisionOptions): { through?: Through } {
  if (!door) return {};
  const { digest, since } = shown?.(operationId) ?? {};
  if (digest === undefined || since === undefined) return { through: { door } };
  return { through: { door, digest, shown_ago_ms: Math.max(0, Math.round(Date.now() - since)) } };
}

/** For whom it vouches: a backend names its people, and only groups that are asked go into the history. */
function vouchedFor(approver: Approver, by: string | undefined, asked: readonly string[]): Approver {
  const askedOf = ({ groups }: Pick<Approver, 'groups'>) => ({
    groups: groups.filter((group) => asked.includes(`group:${group}`)),
  });
  const isNamed = approver.assurance === 'asserted' && by !== undefined;
  const { maker } = approver.link ?? {};
  return {
    ...{ ...approver, ...askedOf(approver), ...(isNamed && { by, subject: by }) },
    ...(maker && { link: { ...approver.link, maker: { ...maker, ...askedOf(maker) } } }),
  };
}

/** Signs a decision for this run and the question that is open now, for one use (src/core/bulk/signatures.ts). */
export async function createSigner(
  client: Client,
  operation_id: string,
  decision: string,
  { vouch, approver, signature, ...made }: DecisionOptions,
): Promise<<R extends object>(request: R) => R> {
  const told = <R extends object>(request: R): R => ({ ...request, ...throughOf(operation_id, made) });
  // For nobody in particular, it would pass for somebody who signed in.
  if (!vouch || !approver) return told;
  const describing = describeWorkflow(client, operation_id).catch(unlessMissing);
  // The server knows whether a policy asks for approvals; the status takes a worker.
  if (approver.assurance === 'asserted' && !(await describing)?.memo?.['approvals']) return told;
  const [description, status] = await Promise.all([
    describing,
    askIf<BulkStatus>(client, operation_id, 'NOT_OPEN', QUERIES.status).catch(unlessMissing),
  ]);
  // Nothing is left that could accept it.
  if (!description) return told;
  const asksForApprovals = description.memo?.['approvals'] !== undefined;
  const asked = typeof status === 'object' ? (status.next_batch ?? status.scheduled_batch) : undefined;
  const question = asked?.digest;
  const { from = [] } = (typeof status === 'object' && status.approvals) || {};
  const use = {
    run_id: firstRunIn(description),
    ...(question !== undefined && { question }),
    decision_id: randomUUID(),
    at: new Date().toISOString(),
    ...(signature !== undefined && { signature }),
  };
  return (request) => {
    const { decision_id = use.decision_id, by } = request as { decision_id?: string; by?: string };
    const whole = {
      ...told(request),
      ...(asksForApprovals && { approver: vouchedFor(approver, by, from) }),
      signed: { ...use, decision_id },
    };
    return { ...whole, proof: vouch({ operation_id, decision, request: whole }) };
  };
}
