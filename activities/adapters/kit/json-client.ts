import { z } from 'zod';
import type { CallLimits } from '../../../src/contract/adapter';
import { withoutTrailing } from '../../../src/contract/text';
import { createAllowance, perSecond, unlimited, type Allowance } from '../shared/allowance';
import { malformed, providerText, refusal, type ProviderFailure } from '../shared/failure';
import { jsonIn } from '../shared/parsed';
import { sendRequest, type WebAnswer } from '../shared/send';

/**
 * Creates a client of a JSON API for `connect`. `jsonClient(api)(call)` returns a function that sends one request
 * within the limits of the call, and parses the answer with a schema. The function throws a `ProviderFailure` if the
 * request was refused, never sent, or sent without a usable answer.
 *
 * @example
 * const library = jsonClient({ name: 'The library', url, headers: { authorization: `Bearer ${key}` } });
 * const book = await library(call)(bookSchema, '/books/b1');
 */
export function jsonClient(api: {
  /** The name of the tool in sentences. */
  readonly name: string;
  readonly url: string;
  /** The headers of every request. Errors do not contain their values. */
  readonly headers?: Readonly<Record<string, string>>;
  /** The maximum rate of this client. Default: unlimited. */
  readonly requestsPerSecond?: number;
}): (limits: CallLimits) => <S extends z.ZodType>(
  schema: S,
  /** The path below the address of the API, including the query if there is one. */
  path: string,
  request?: {
    /** Default `GET`. */
    readonly method?: string;
    readonly headers?: Readonly<Record<string, string>>;
    /** Sent as JSON. */
    readonly body?: unknown;
  },
) => Promise<z.output<S>> {
  const { name, headers = {}, requestsPerSecond } = api;
  const allowance =
    requestsPerSecond === undefined ? unlimited : createAllowance(perSecond(requestsPerSecond));
  const failure = (answer: WebAnswer, content: unknown) =>
    refusal(name, answer, providerText(reasonSchema.parse(content), secretsIn(headers)));
  return (limits) => jsonRequests({ ...api, allowance, failure }, limits);
}

/** Creates a client of an API with its own allowance and its own failures. */
export const jsonRequests =
  (
    {
      name,
      url,
      headers,
      allowance,
      failure,
    }: Pick<Parameters<typeof jsonClient>[0], 'name' | 'url' | 'headers'> & {
      readonly allowance: Allowance;
      readonly failure: (answer: WebAnswer, content: unknown) => ProviderFailure;
    },
    limits: CallLimits,
  ): ReturnType<ReturnType<typeof jsonClient>> =>
  async (schema, path, { method = 'GET', headers: extraHeaders, body } = {}) => {
    const request = {
      method,
      url: new URL(`${withoutTrailing(url, '/')}${path}`),
      headers: {
        accept: 'application/json',
        ...(body !== undefined && { 'content-type': 'application/json' }),
        ...headers,
        ...extraHeaders,
      },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    };
    const answer = await sendRequest(name, request, allowance, limits);
    const content = jsonIn(answer.text);
    if (answer.status < 200 || answer.status > 299) throw failure(answer, content);
    const parsed = schema.safeParse(content);
    if (parsed.success) return parsed.data;
    throw malformed(name);
  };

const words = z.string().optional().catch(undefined);
/** The usual members for the reason of a refusal, including those of RFC 9457. */
const reasonSchema = z
  .object({
    message: words,
    detail: words,
    title: words,
    error: z.union([words, z.object({ message: words })]).catch(undefined),
  })
  .transform(({ message, detail, title, error }) => {
    const nested = typeof error === 'object' ? error.message : error;
    return message ?? detail ?? title ?? nested;
  })
  .catch(undefined);

/** Returns the values of headers, with and without a scheme such as Bearer. */
const secretsIn = (headers: Readonly<Record<string, string>>): string[] =>
  Object.values(headers).flatMap((value) => [value, value.replace(/^\S+\s+/, '')]);
