import { Transform, type Readable, type Writable } from 'node:stream';
import { InexactNumber, inexactNumbers } from '../core/shared/json';
import { sentences } from '../core/shared/plain-text';

/** Invalid params: https://www.jsonrpc.org/specification#error_object */
const INVALID_PARAMS = -32_602;
/** The maximum size of a message in the transport. */
const MAX_BYTES = 10 * 1024 * 1024;
const LINE_FEED = 0x0a;

/**
 * Passes on the messages of a host, one per line, except those with a number that parsing would change. Answers a
 * request with such a number with an error.
 */
export function exactMessages(from: Readable, answers: Writable): Readable {
  let parts: Buffer[] = [];
  const lines = new Transform({
    transform(chunk: Buffer, _encoding, done) {
      let start = 0;
      for (let end = chunk.indexOf(LINE_FEED); end !== -1; end = chunk.indexOf(LINE_FEED, start)) {
        const line = Buffer.concat([...parts, chunk.subarray(start, end + 1)]);
        parts = [];
        start = end + 1;
        if (passes(line.toString(), answers)) this.push(line);
      }
      parts.push(chunk.subarray(start));
      // The transport ends a connection that sends such a long message.
      if (parts.reduce((sum, { length }) => sum + length, 0) > MAX_BYTES)
        this.push(Buffer.concat(parts.splice(0)));
      done();
    },
    flush(done) {
      done(null, Buffer.concat(parts));
    },
  });
  // The transport pauses its input when it closes. The process ends once nothing reads its input.
  lines.once('pause', () => from.unpipe(lines).pause());
  from.once('error', (error) => lines.destroy(error));
  return from.pipe(lines);
}

function passes(line: string, answers: Writable): boolean {
  const [place] = inexactNumbers(line);
  if (place === undefined) return true;
  let message: { id?: unknown; method?: unknown };
  try {
    message = JSON.parse(line) as typeof message;
  } catch {
    // The protocol's library answers invalid JSON.
    return true;
  }
  const { id, method } = message ?? {};
  if (id === undefined || method === undefined) return false;
  const { body } = new InexactNumber(place.number);
  const error = { code: INVALID_PARAMS, message: sentences(body.message, body.hint), data: { error: body } };
  answers.write(`${JSON.stringify({ jsonrpc: '2.0', id, error })}\n`);
  return false;
}
