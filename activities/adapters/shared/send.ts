import { withLimits } from './limits';
import type { CallLimits } from '../../../src/contract/adapter';
import { unlessAborted } from '../../../src/core/shared/promises';
import type { Allowance } from './allowance';
import { networkFailure, outOfTime } from './failure';

interface WebRequest {
  readonly method: string;
  readonly url: URL;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string;
}

export interface WebAnswer {
  readonly status: number;
  readonly headers: Headers;
  /** At most `MAX_BODY_BYTES` long. */
  readonly text: string;
}

/** The maximum size of an answer, which protects the worker's memory. Pages of these APIs are far smaller. */
const MAX_BODY_BYTES = 5_000_000;

/**
 * Sends one request, once, and reads the answer, regardless of its status. It does not follow redirects, because
 * another server would receive the credentials.
 * @throws ProviderFailure `not_sent` or `no_answer`.
 */
export async function sendRequest(
  provider: string,
  request: WebRequest,
  allowance: Allowance,
  limits: CallLimits,
): Promise<WebAnswer> {
  await allowance.take(1, limits);
  return withLimits(limits.deadline, limits.signal, async ({ signal, deadline }) => {
    if (signal.aborted || Date.now() >= deadline) throw outOfTime();
    try {
      return await unlessAborted(signal, answerTo(request, signal));
    } catch (error) {
      throw networkFailure(provider, error);
    }
  });
}

async function answerTo({ url, method, headers, body }: WebRequest, signal: AbortSignal): Promise<WebAnswer> {
  const answer = await fetch(url, { method, headers, body, signal, redirect: 'manual' });
  return { status: answer.status, headers: answer.headers, text: await readText(answer) };
}

async function readText(answer: Response): Promise<string> {
  const decoder = new TextDecoder();
  let text = '';
  let bytes = 0;
  for await (const chunk of (answer.body ?? []) as AsyncIterable<Uint8Array>) {
    bytes += chunk.byteLength;
    if (bytes > MAX_BODY_BYTES) throw new Error(`an answer of more than ${MAX_BODY_BYTES} bytes`);
    text += decoder.decode(chunk, { stream: true });
  }
  return text + decoder.decode();
}
