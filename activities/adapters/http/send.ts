import { Agent as HttpAgent, request as httpRequest, type IncomingMessage } from 'node:http';
import { Agent as HttpsAgent, request as httpsRequest } from 'node:https';
import type { LookupFunction, Socket } from 'node:net';
import type { CallLimits } from '../../../src/contract/adapter';
import { withLimits } from '../shared/limits';
import type { Allowance } from '../shared/allowance';
import { inDoubt, networkFailure, outOfTime, ProviderFailure, unreachable } from '../shared/failure';

export interface OneRequest {
  readonly method: string;
  readonly url: URL;
  readonly headers: Headers;
  readonly body?: string;
  /** Resolves the host; default: the system. */
  readonly lookup?: LookupFunction;
}

/** The connections of one adapter. Adapters that allow other hosts do not share them. */
export interface Connections {
  readonly 'http:': HttpAgent;
  readonly 'https:': HttpsAgent;
}

export function createConnections(): Connections {
  // Shorter than the idle timeout of servers, because a write is in doubt if its connection closes.
  const options = { keepAlive: true, timeout: 4_000 };
  return { 'http:': new HttpAgent(options), 'https:': new HttpsAgent(options) };
}

export interface OneAnswer {
  readonly status: number;
  readonly contentType: string | undefined;
  readonly retryAfter: string | undefined;
  readonly text: string;
}

/** The part of an answer to read, for messages, if only the status decides. */
const BEGINNING_BYTES = 64_000;
const WHOLE_BYTES = 5_000_000;
/** The time to wait for the body if only the status decides, in milliseconds. */
const BEGINNING_MS = 2_000;

/**
 * Sends one request, once. It does not follow redirects, which could lead to any host.
 * @throws ProviderFailure `not_sent` or `no_answer`, or the refusal of the look-up.
 */
export async function sendOnce(
  request: OneRequest,
  connections: Connections,
  allowance: Allowance,
  limits: CallLimits,
  extent: 'beginning' | 'whole' = 'beginning',
): Promise<OneAnswer> {
  return withLimits(limits.deadline, limits.signal, async ({ signal, deadline }) => {
    await allowance.take(1, { signal, deadline });
    if (signal.aborted || Date.now() >= deadline) throw outOfTime();
    const answer = await answerTo(request, connections, signal);
    if ((answer.statusCode ?? 0) < 200) {
      answer.destroy();
      throw inDoubt(request.url.host, answer.statusCode ?? 0);
    }
    const content = extent === 'whole' ? wholeOf(answer, request.url.host) : beginningOf(answer);
    const { statusCode: status = 0, headers } = answer;
    const { 'content-type': contentType, 'retry-after': retryAfter } = headers;
    return { status, contentType, retryAfter, text: await content };
  });
}

function answerTo(
  { url, method, headers, body = '', lookup }: OneRequest,
  connections: Connections,
  signal: AbortSignal,
): Promise<IncomingMessage> {
  const secure = url.protocol === 'https:';
  return new Promise((resolve, reject) => {
    let sent = false;
    const options = {
      method,
      headers: {
        accept: '*/*',
        'accept-encoding': 'identity',
        'user-agent': 'batchgate',
        ...Object.fromEntries(headers),
        ...length(method, body),
      },
      agent: connections[secure ? 'https:' : 'http:'],
      signal,
      lookup,
    };
    const request = (secure ? httpsRequest : httpRequest)(url, options, resolve);
    request.on('socket', (socket: Socket) => {
      // Until the connection and its handshake are complete, the request is only in memory.
      if (request.reusedSocket) sent = true;
      else socket.once(secure ? 'secureConnect' : 'connect', () => (sent = true));
    });
    const fail = (error: unknown) => {
      if (error instanceof ProviderFailure) reject(error);
      else if (sent) reject(networkFailure(url.host, error));
      else reject(signal.aborted ? outOfTime() : unreachable(url.host));
    };
    request.on('error', fail);
    // After a 101 there is neither a response nor an error.
    request.on('upgrade', ({ statusCode = 0 }, socket) => {
      socket.destroy();
      reject(inDoubt(url.host, statusCode));
    });
    // The first handles a connection that closes without an answer, the second a request that outlasts its deadline.
    request.on('close', () => fail(new Error('The connection was closed')));
    signal.addEventListener('abort', () => fail(signal.reason), { once: true });
    request.end(body);
  });
}

/** Omits the length if there is no body and the method usually has none. */
const length = (method: string, body: string) =>
  body !== '' || !['GET', 'HEAD', 'DELETE'].includes(method)
    ? { 'content-length': Buffer.byteLength(body) }
    : {};

/** Reads the beginning of the body. The status decides the outcome, so a truncated or endless body does not matter. */
async function beginningOf(answer: IncomingMessage): Promise<string> {
  const chunks: Uint8Array[] = [];
  const timer = setTimeout(() => answer.destroy(), BEGINNING_MS);
  try {
    for await (const chunk of partsOf(answer, BEGINNING_BYTES)) chunks.push(chunk);
  } catch {
    // The part that was received is enough.
  } finally {
    clearTimeout(timer);
  }
  return new TextDecoder().decode(Buffer.concat(chunks));
}

/** @throws ProviderFailure `no_answer` if the body is incomplete, too long or encoded. */
async function wholeOf(answer: IncomingMessage, host: string): Promise<string> {
  const chunks: Uint8Array[] = [];
  try {
    for await (const chunk of partsOf(answer, WHOLE_BYTES)) chunks.push(chunk);
  } catch (error) {
    throw networkFailure(host, error);
  }
  return new TextDecoder().decode(Buffer.concat(chunks));
}

/** Yields the chunks of a body. @throws Error if it is encoded, incomplete or longer than `maxBytes`. */
async function* partsOf(answer: IncomingMessage, maxBytes: number): AsyncGenerator<Uint8Array> {
  const { 'content-encoding': encoding = 'identity' } = answer.headers;
  if (encoding !== 'identity') {
    answer.destroy();
    throw new Error(`an answer in ${encoding}`);
  }
  let bytes = 0;
  for await (const chunk of answer as AsyncIterable<Uint8Array>) {
    bytes += chunk.byteLength;
    yield chunk;
    if (bytes > maxBytes) throw new Error(`an answer of more than ${maxBytes} bytes`);
  }
}
