import { randomUUID } from 'node:crypto';
import type { InputRequiredResult } from '@modelcontextprotocol/server';
import { z } from 'zod';
import { getBulkStatus } from '../../client';
import type { Call } from '../context';
import type { Answer } from '../results';
import { sdk } from '../sdk';
import { told } from './outcome';
import { sealedSchema } from './seal';

const IN_TIME =
  'Nobody answered the question of the host in time. Nothing ran, and the question stays open. Give the person the link approval_url, where they decide.';

/**
 * Asks a client of 2025, which receives questions as requests. The library would fail the whole call if the host
 * refused such a request or answered it with invalid data. Here the call then continues without an answer.
 */
export async function askOlderHost(
  { inputRequests, requestState }: InputRequiredResult,
  call: Call,
  again: (call: Call) => Promise<Answer | InputRequiredResult>,
): Promise<Answer | InputRequiredResult> {
  const { context, request, mcp, client } = call;
  const state: unknown = await context.seal.open(requestState ?? '', mcp);
  const inputResponses: Record<string, never> = {};
  for (const [key, { method, params }] of Object.entries(inputRequests ?? {})) {
    const answer = await send(call, method, params);
    if (answer === LATE) {
      const { operation_id } = sealedSchema.parse(state);
      return told(call, await getBulkStatus(client, operation_id), 'waiting', IN_TIME);
    }
    inputResponses[key] = answer as never;
  }
  return again({ ...call, request: { ...request, inputResponses, requestState: () => state as never } });
}

const LATE = Symbol('no answer in time');

/** Returns the host's unchecked answer; undefined for a refusal, `LATE` after the time limit. */
async function send(
  { request, context }: Call,
  method: string,
  params: Record<string, unknown> = {},
): Promise<unknown> {
  const { SdkError, SdkErrorCode } = sdk();
  // A link has an id in 2025.
  const withId = params['mode'] === 'url' ? { ...params, elicitationId: randomUUID() } : params;
  try {
    return await request.send({ method, params: withId }, z.unknown(), { timeout: context.waits.told });
  } catch (error) {
    if (request.signal.aborted) throw error;
    return error instanceof SdkError && error.code === SdkErrorCode.RequestTimeout ? LATE : undefined;
  }
}
