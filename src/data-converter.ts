import { resolve } from 'node:path';
import type { DataConverter, PayloadCodec } from '@temporalio/common';
import { BatchgateError } from './contract/errors';

/**
 * The codec hook: payloads of every workflow, activity and message pass through it, so that histories may be kept
 * encrypted. Off without a path.
 * @throws BatchgateError `NOT_CONFIGURED` when the module exports no `payloadCodecs`.
 */
export async function loadDataConverter(modulePath: string | undefined): Promise<DataConverter | undefined> {
  if (modulePath === undefined) return undefined;
  const loaded = (await import(resolve(modulePath))) as { payloadCodecs?: PayloadCodec[] };
  if (Array.isArray(loaded.payloadCodecs)) return { payloadCodecs: loaded.payloadCodecs };
  throw new BatchgateError(
    'NOT_CONFIGURED',
    'The module of BATCHGATE_PAYLOAD_CODEC exports no payloadCodecs.',
    "Export an array of Temporal's PayloadCodec under the name payloadCodecs.",
  );
}
