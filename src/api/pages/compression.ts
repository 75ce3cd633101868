import { promisify } from 'node:util';
import { brotliCompress, brotliCompressSync, constants, gzip, gzipSync } from 'node:zlib';
import type { FastifyReply, FastifyRequest } from 'fastify';

/** Less is not worth it: it fits into one packet anyway. Bytes. */
const WORTH_IT = 1_400;
/** About as fast as gzip, and smaller. */
const FAST = { params: { [constants.BROTLI_PARAM_QUALITY]: 4 } };
/** The best that takes no noticeable time. */
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
 * Compresses a page. Its secrets are safe although it also shows what an address asks for: no other site can make a
 * browser load it with the cookie, which is strict.
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

/** A file in the encodings that browsers accept, each made when a browser first asks for it. */
export function precompressed(
  content: Buffer,
): (request: FastifyRequest, reply: FastifyReply) => FastifyReply {
  const made = new Map<Encoding, Buffer>();
  return (request, reply) => {
    const encoding = encodingOf(request);
    void reply.header('vary', 'accept-encoding');
    if (encoding === undefined) return reply.send(content);
    const encoded = made.get(encoding) ?? COMPRESS[encoding](content);
    made.set(encoding, encoded);
    return reply.header('content-encoding', encoding).send(encoded);
  };
}
