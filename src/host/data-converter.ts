import { resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import type { DataConverter, PayloadCodec } from '@temporalio/common';
import { BatchgateError } from '../contract/errors';

/**
 * Loads the payload codec, which encodes the payloads of every workflow, activity and message, so that histories can be
 * encrypted. Without a path there is no codec.
 * @throws BatchgateError `NOT_CONFIGURED` when the module exports no `payloadCodecs`.
 */
export async function loadDataConverter(modulePath: string | undefined): Promise<DataConverter | undefined> {
  if (modulePath === undefined) return undefined;
  const loaded = (await import(pathToFileURL(resolve(modulePath)).href).catch(() => undefined)) as
    { payloadCodecs?: PayloadCodec[] } | undefined;
  if (Array.isArray(loaded?.payloadCodecs)) return { payloadCodecs: loaded.payloadCodecs };
  throw new BatchgateError(
    'NOT_CONFIGURED',
    'The module of BATCHGATE_PAYLOAD_CODEC cannot be loaded, or exports no payloadCodecs.',
    "Name a JavaScript file that exports an array of Temporal's PayloadCodec as payloadCodecs.",
  );
}
