import type { z } from 'zod';
import { parseInput } from '../../src/contract/errors';
import type { CompleteRequest } from '../../src/contract/messages';
import type { Confirmation } from '../../src/contract/operation';
import { parseCompletion } from '../../src/core/progress/completion-guard';
import { isProven } from '../../src/core/access/proof';
import { recorded } from '../../src/core/bulk/decisions';
import { iso } from '../../src/core/bulk/view';
import { refusing } from './failures';
import { touchSentinel } from './visibility';
import type { RunningOperation } from '../bulk/running-operation';

/**
 * Adds a decision to the record that `status` shows. The sender's claim names the person who decided, unless the HTTP
 * API's signature over the request proves that the person signed in.
 */
export function record(
  operation: RunningOperation,
  decision: Confirmation['decision'],
  outcome: string,
  via: Confirmation['via'],
  request: { by?: string; note?: string; digest?: string; batch?: number; attempt?: number },
  asked: { proof?: string } = {},
): Confirmation['assurance'] {
  const { by, note, digest } = request;
  const { operation_id, public_key } = operation.state;
  // A check takes milliseconds, and thousands of signals may arrive at once; the server limits updates.
  const proven =
    via === 'update' &&
    public_key !== undefined &&
    isProven({ operation_id, decision, request: asked }, public_key);
  const assurance = proven ? 'session' : 'asserted';
  operation.state = recorded(operation.state, {
    batch: request.batch ?? operation.state.batch,
    attempt: request.attempt ?? (request.batch === undefined ? operation.state.attempt : 1),
    decision,
    outcome,
    by,
    via,
    at: iso(Date.now()),
    note,
    digest,
    assurance,
  });
  if (outcome !== 'accepted') noteRefused(operation, by);
  return assurance;
}

/** How often one operation reports that decisions were refused: thousands may arrive at once. */
const REFUSED_EVERY_MS = 1_000;

/** A refused decision is activity too; an accepted one is reported by what it sets in motion. */
function noteRefused(operation: RunningOperation, by?: string): void {
  const now = Date.now();
  if (now - (operation.refusedAt ?? 0) < REFUSED_EVERY_MS) return;
  operation.refusedAt = now;
  touchSentinel(by);
}

/** Parses a message's argument with its schema; a mistake refuses the message with its path. */
export function read<S extends z.ZodType>(schema: S, value: unknown): z.output<S> {
  return refusing(() => parseInput(schema, value, 'The message'));
}

/** The argument of `complete`: forcing it needs a reason. */
export function readCompletion(value: unknown): CompleteRequest {
  return refusing(() => parseCompletion(value));
}
