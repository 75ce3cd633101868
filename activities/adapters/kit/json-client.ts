import { z } from 'zod';
import type { CallLimits } from '../../../src/contract/adapter';
import { withoutTrailing } from '../../../src/contract/text';
import { unlimited, type Allowance } from '../shared/allowance';
import {
  gatewayHasNone,
  inDoubt,
  malformed,
  ProviderFailure,
  providerText,
  refusedUntil,
} from '../shared/failure';
import { sendRequest, type WebAnswer } from '../shared/send';

interface JsonApi {
  /** The name of the tool in sentences. */
  readonly name: string;
  readonly url: string;
  /** The headers of every request. No error shows their values. */
  readonly headers?: Readonly<Record<string, string>>;
  /** Default: unlimited. */
  readonly allowance?: Allowance;
}

interface JsonRequest {
  readonly method?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: unknown;
}

/** Sends one request, and reads its answer through a schema. @throws ProviderFailure */
export type AskJson = <S extends z.ZodType>(
  schema: S,
  path: string,
  request?: JsonRequest,
) => Promise<z.output<S>>;

/** A client of a JSON API, for the requests of one call within its limits. */
export function jsonClient(api: JsonApi): (limits: CallLimits) => AskJson {
  const { name, url, headers, allowance = unlimited } = api;
  return (limits) =>
    async (schema, path, { method = 'GET', headers: own, body } = {}) => {
      const request = {
        method,
        url: new URL(`${withoutTrailing(url, '/')}${path}`),
        headers: {
          accept: 'application/json',
          ...(body !== undefined && { 'content-type': 'application/json' }),
          ...headers,
          ...own,
        },
        ...(body !== undefined && { body: JSON.stringify(body) }),
      };
      const answer = await sendRequest(name, request, allowance, limits);
      const content = json(answer.text);
      if (answer.status < 200 || answer.status > 299) throw refusal(api, answer, content);
      const parsed = schema.safeParse(content);
      if (parsed.success) return parsed.data;
      throw malformed(name);
    };
}

function json(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

const words = z.string().optional().catch(undefined);
/** The usual members for the reason of a refusal, RFC 9457 among them. */
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

function refusal(
  { name, headers: sent = {} }: JsonApi,
  answer: WebAnswer,
  content: unknown,
): ProviderFailure {
  const { status, headers } = answer;
  if (gatewayHasNone(status)) return inDoubt(name, status);
  const reason = providerText(reasonSchema.parse(content), secretsIn(sent));
  const message = `${name} answered ${status}${reason === '' ? '' : `: ${reason}`}`;
  const until = status === 429 ? refusedUntil(headers) : undefined;
  return new ProviderFailure(status === 401 ? 'credentials' : 'refused', message, { status, until });
}

/** The values of headers, and what follows a scheme such as Bearer. */
const secretsIn = (headers: Readonly<Record<string, string>>): string[] =>
  Object.values(headers).flatMap((value) => [value, value.replace(/^\S+\s+/, '')]);
