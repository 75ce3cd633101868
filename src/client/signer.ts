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

/** Signs a decision and the person for whom it vouches. Only the HTTP API can sign (src/core/access/proof.ts). */
export type Vouch = (decided: Decided) => string;

/** Options for sending a decision. */
export interface DecisionOptions {
  vouch?: Vouch;
  /** The person to vouch for. A person who is only asserted is signed if a policy requires approvals, for the roles. */
  approver?: Approver;
  /** The door of the decision, for the record. */
  door?: Door;
  /** Returns the question of this operation that the door last showed to the person, if known. */
  shown?: (operationId: string) => ShownSince | undefined;
  /** Returns the address of the pages, for refusals of decisions that need a signed-in person. */
  origin?: () => string | Promise<string>;
  /** The id of the person's verified passkey signature. Only a vouched decision can carry it. */
  signature?: string;
}

/** A question, and when the person was first shown it, in milliseconds since the epoch. */
interface ShownSince {
  digest: string;
  since: number;
}

/** Returns the door of a request, and since when it has shown the question. */
function throughOf(operationId: string, { door, shown }: DecisionOptions): { through?: Through } {
  if (!door) return {};
  const { digest, since } = shown?.(operationId) ?? {};
  if (digest === undefined || since === undefined) return { through: { door } };
  return { through: { door, digest, shown_ago_ms: Math.max(0, Math.round(Date.now() - since)) } };
}

/** Returns the person to vouch for. A backend names its people. Only groups of the policy go into the history. */
function vouchedFor(approver: Approver, by: string | undefined, names: readonly string[]): Approver {
  const askedOf = ({ groups }: Pick<Approver, 'groups'>) => ({
    groups: groups.filter((group) => names.includes(`group:${group}`)),
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
  const withDoor = <R extends object>(request: R): R => ({ ...request, ...throughOf(operation_id, made) });
  // Without a person, the signature would count as that of a signed-in person.
  if (!vouch || !approver) return withDoor;
  const describing = describeWorkflow(client, operation_id).catch(unlessMissing);
  // The server's memo shows whether a policy requires approvals. The status needs a worker.
  if (approver.assurance === 'asserted' && !(await describing)?.memo?.['approvals']) return withDoor;
  const [description, status] = await Promise.all([
    describing,
    askIf<BulkStatus>(client, operation_id, 'NOT_OPEN', QUERIES.status).catch(unlessMissing),
  ]);
  // No run is left to accept the decision.
  if (!description) return withDoor;
  const asksForApprovals = description.memo?.['approvals'] !== undefined;
  const gate = typeof status === 'object' ? (status.next_batch ?? status.scheduled_batch) : undefined;
  const question = gate?.digest;
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
      ...withDoor(request),
      ...(asksForApprovals && { approver: vouchedFor(approver, by, from) }),
      signed: { ...use, decision_id },
    };
    return { ...whole, proof: vouch({ operation_id, decision, request: whole }) };
  };
}
