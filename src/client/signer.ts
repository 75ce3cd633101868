import { randomUUID } from 'node:crypto';
import type { Client } from '@temporalio/client';
import { QUERIES } from '../contract/messages';
import type { BulkStatus } from '../contract/operation';
import type { Door, Through } from '../contract/record';
import type { Decided } from '../core/access/proof';
import { describeWorkflow, firstRunIn } from './calls';
import { unlessMissing } from './failures';
import { askIf } from './messages';

/** Signs what a signed-in person decided; only the HTTP API can (src/core/access/proof.ts). */
export type Vouch = (decided: Decided) => string;

/** How a decision is sent. */
export interface DecisionOptions {
  vouch?: Vouch;
  /** Where the person decides, for the record. */
  door?: Door;
  /** The question of this operation that the door showed to the person last, if it knows. */
  shown?: (operationId: string) => ShownSince | undefined;
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

/** Signs a decision for this run and the question that is open now, for one use (src/core/bulk/signatures.ts). */
export async function createSigner(
  client: Client,
  operation_id: string,
  decision: string,
  { vouch, ...made }: DecisionOptions,
): Promise<<R extends object>(request: R) => R> {
  const told = <R extends object>(request: R): R => ({ ...request, ...throughOf(operation_id, made) });
  if (!vouch) return told;
  const [description, status] = await Promise.all([
    describeWorkflow(client, operation_id).catch(unlessMissing),
    askIf<BulkStatus>(client, operation_id, 'NOT_OPEN', QUERIES.status).catch(unlessMissing),
  ]);
  // Nothing is left that could accept it.
  if (!description) return told;
  const asked = typeof status === 'object' ? (status.next_batch ?? status.scheduled_batch) : undefined;
  const question = asked?.digest;
  const use = {
    run_id: firstRunIn(description),
    ...(question !== undefined && { question }),
    decision_id: randomUUID(),
    at: new Date().toISOString(),
  };
  return (request) => {
    const { decision_id = use.decision_id } = request as { decision_id?: string };
    const whole = { ...told(request), signed: { ...use, decision_id } };
    return { ...whole, proof: vouch({ operation_id, decision, request: whole }) };
  };
}
