import { randomUUID } from 'node:crypto';
import type { ServerContext } from '@modelcontextprotocol/server';
import { z } from 'zod';
import { BatchgateError } from '../../contract/errors';
import { sdk } from '../sdk';
import type { ShownGate } from '../../client/shown-gates';

/** The question that the answer to a form or a link belongs to. */
export const sealedSchema = z.strictObject({
  operation_id: z.string(),
  batch: z.number(),
  attempt: z.number(),
  digest: z.string(),
  caller: z.string(),
  nonce: z.string(),
});
export type Sealed = z.infer<typeof sealedSchema>;

/**
 * Seals the state of a question that travels through the client, which may store, change and repeat it. A sealed state
 * is valid for this question and this agent, for a limited time, once.
 */
export interface Seal {
  close(gate: ShownGate, operationId: string, callerId: string, mcp: ServerContext): Promise<string>;
  /** Called by the library before a tool receives a returned state. Rejects a state of another origin. */
  open(state: string, mcp: ServerContext): Promise<unknown>;
  /** @throws BatchgateError `STALE_CONFIRMATION` if the state is for another question or agent, or was used before. */
  use(opened: unknown, input: Pick<Sealed, 'operation_id' | 'batch'>, callerId: string): Sealed;
}

const LASTS_SECONDS = 900;
const REMEMBERED = 100_000;

/** @param key At least 32 bytes; the same in every process that serves the same agents. */
export function createSeal(key: Uint8Array, lastsSeconds = LASTS_SECONDS): Seal {
  const codec = sdk().createRequestStateCodec<Sealed>({ key, ttlSeconds: lastsSeconds });
  const used = new Set<string>();
  return {
    close: (gate, operation_id, caller, mcp) =>
      codec.mint({ ...gate, operation_id, caller, nonce: randomUUID() }, mcp),
    open: (state, mcp) => codec.verify(state, mcp),
    use(opened, { operation_id, batch }, callerId) {
      const { data: sealed } = sealedSchema.safeParse(opened);
      const fits = sealed?.operation_id === operation_id && sealed.batch === batch;
      if (!fits || sealed.caller !== callerId || used.has(sealed.nonce)) throw notThis();
      used.add(sealed.nonce);
      const [oldest] = used;
      if (used.size > REMEMBERED && oldest !== undefined) used.delete(oldest);
      return sealed;
    },
  };
}

const notThis = () =>
  new BatchgateError(
    'STALE_CONFIRMATION',
    'This answer belongs to another question, or was used before.',
    'Call continue_bulk_operation again, so that the person is asked again.',
  );
