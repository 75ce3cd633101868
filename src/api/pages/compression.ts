import { promisify } from 'node:util';
import { brotliCompress, brotliCompressSync, constants, gzip, gzipSync } from 'node:zlib';
import type { FastifyReply, FastifyRequest } from 'fastify';

/** A smaller page fits into one packet, so it is not compressed. Bytes. */
const WORTH_IT = 1_400;
/** About as fast as gzip, with a smaller result. */
const FAST = { params: { [constants.BROTLI_PARAM_QUALITY]: 4 } };
/** The highest quality that takes no noticeable time. */
const ONCE = { params: { [constants.BROTLI_PARAM_QUALITY]: 9 } };

type Encoding = 'br' | 'gzip';

function encodingOf({ headers }: FastifyRequest): Encoding | undefined {
  const offers = String(headers['accept-encoding'] ?? '')
    .split(',')
    .map((offer) => offer.split(';').map((part) => part.trim().toLowerCase()));
  const accepts = (name: Encoding) =>
    offers.some(([offered, weight]) => offered === name && !/^q=0(\.0*)?$/.test(weight ?? ''));
  return (['br', 'gzip'] as const).find(accepts);
}

/**
 * Compresses a page. Its secrets are safe although it also shows parts of its address: the cookie is strict, so no
 * other site can make a browser load the page with it.
 */
export async function compressed(
  request: FastifyRequest,
  reply: FastifyReply,
  payload: unknown,
): Promise<unknown> {
  if (typeof payload !== 'string' || payload.length < WORTH_IT) return payload;
  const encoding = encodingOf(request);
  void reply.header('vary', 'accept-encoding');
  if (encoding === undefined) return payload;
  void reply.header('content-encoding', encoding);
  return encoding === 'br' ? promisify(brotliCompress)(payload, FAST) : promisify(gzip)(payload);
}

const COMPRESS: Record<Encoding, (content: Buffer) => Buffer> = {
  br: (content) => brotliCompressSync(content, ONCE),
  gzip: (content) => gzipSync(content),
};

/** Sends a file in an encoding that the browser accepts. Each encoding is made when it is first needed. */
export function precompressed(
  content: Buffer,
): (request: FastifyRequest, reply: FastifyReply) => FastifyReply {
  const encodings = new Map<Encoding, Buffer>();
  return (request, reply) => {
    const encoding = encodingOf(request);
    void reply.header('vary', 'accept-encoding');
    if (encoding === undefined) return reply.send(content);
    const encoded = encodings.get(encoding) ?? COMPRESS[encoding](content);
    encodings.set(encoding, encoded);
    return reply.header('content-encoding', encoding).send(encoded);
  };
}
