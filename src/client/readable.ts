import {
  defaultPayloadConverter,
  type DataConverter,
  type Payload,
  type PayloadCodec,
} from '@temporalio/common';
import { INEXACT_MARK } from '../contract/text';
import { inexactNumbers, shownNumber } from '../core/shared/json';

type Context = Parameters<PayloadCodec['decode']>[1];

const bytes = (text: string) => new Uint8Array(Buffer.from(text));
/** Returns a payload that decodes to bytes, which none of our schemas accepts (src/contract/text.ts). */
const placeholder = (why: string): Payload => ({
  metadata: { encoding: bytes('binary/plain') },
  data: bytes(why),
});
const PLACEHOLDER = placeholder('a payload that cannot be decoded');
/** The encodings of the SDK's own converters that are JSON. */
const JSON_ENCODING = /^json\//;

/**
 * Returns a data converter under which no message can fail a workflow task. The SDK decodes signals and start arguments
 * outside of any handler, where an error fails the task, and the task is retried forever. This converter replaces a
 * message that cannot be decoded, or JSON with a number that a double cannot hold, with a placeholder. The workflow
 * then refuses it.
 *
 * A codec error whose `retryable` is true still fails the task, because its key service may be unavailable. A refusal
 * would then differ from what a later replay decodes.
 */
export function readable(converter: DataConverter = {}): DataConverter {
  return { ...converter, payloadCodecs: [readableCodec(converter.payloadCodecs ?? [])] };
}

function readableCodec(codecs: readonly PayloadCodec[]): PayloadCodec {
  return {
    async encode(payloads, context) {
      let encoded = payloads;
      for (const codec of codecs) encoded = await codec.encode(encoded, context);
      return encoded;
    },
    async decode(payloads, context) {
      // The result of an activity comes from our own workers. A worker with the wrong codec must wait for one with the
      // right codec.
      if (context?.type !== 'workflow') return decodeAll(codecs, payloads, context);
      return Promise.all(payloads.map((payload) => decodeOrReplace(codecs, payload, context)));
    },
  };
}

async function decodeOrReplace(
  codecs: readonly PayloadCodec[],
  payload: Payload,
  context: Context,
): Promise<Payload> {
  try {
    const [decoded] = await decodeAll(codecs, [payload], context);
    if (decoded && !isBytes(defaultPayloadConverter.fromPayload(decoded))) return exactly(decoded);
  } catch (error) {
    if (failedForNow(error)) throw error;
  }
  return PLACEHOLDER;
}

/** Returns the payload if its numbers keep their values. Messages of other clients may have numbers that do not. */
function exactly(decoded: Payload): Payload {
  if (!JSON_ENCODING.test(textOf(decoded.metadata?.['encoding']))) return decoded;
  const [place] = inexactNumbers(textOf(decoded.data));
  return place ? placeholder(`${INEXACT_MARK}${shownNumber(place.number)}`) : decoded;
}

const textOf = (data: Uint8Array | null | undefined) => Buffer.from(data ?? []).toString();

/** Whether a codec failed temporarily: its key service may be unavailable. */
export const failedForNow = (error: unknown): boolean =>
  (error as { retryable?: unknown } | null)?.retryable === true;

const isBytes = (value: unknown) => value instanceof Uint8Array;

async function decodeAll(
  codecs: readonly PayloadCodec[],
  payloads: Payload[],
  context: Context,
): Promise<Payload[]> {
  let decoded = payloads;
  for (const codec of [...codecs].reverse()) decoded = await codec.decode(decoded, context);
  return decoded;
}
