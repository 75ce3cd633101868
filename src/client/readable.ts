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
/** Decodes to bytes, which no schema of ours takes (src/contract/text.ts). */
const placeholder = (why: string): Payload => ({
  metadata: { encoding: bytes('binary/plain') },
  data: bytes(why),
});
const PLACEHOLDER = placeholder('a payload that cannot be decoded');
/** The encodings of the SDK's own converters that are JSON. */
const JSON_ENCODING = /^json\//;

/**
 * A data converter under which no message can fail a workflow task. The SDK decodes signals and start arguments outside
 * of any handler, where an error fails the task, and the task is tried again forever. Here whatever cannot be decoded
 * becomes a placeholder, and the workflow refuses it. So does JSON with a number that a double cannot hold.
 *
 * An error of a codec whose `retryable` is true still fails the task: its key service may be away. A refusal then would
 * differ from what a later replay decodes.
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
      // The result of an activity comes from our own workers: one with the wrong codec must wait for the right one.
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

/** A payload whose numbers keep their values; no message of ours has others, but those of other clients may. */
function exactly(decoded: Payload): Payload {
  if (!JSON_ENCODING.test(textOf(decoded.metadata?.['encoding']))) return decoded;
  const [place] = inexactNumbers(textOf(decoded.data));
  return place ? placeholder(`${INEXACT_MARK}${shownNumber(place.number)}`) : decoded;
}

const textOf = (data: Uint8Array | null | undefined) => Buffer.from(data ?? []).toString();

/** Whether a codec failed only for now: its key service may be away. */
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
