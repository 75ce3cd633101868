import { checkCondition, ConditionError, holds } from '../../../src/core/macro/condition';
import type { Variables } from '../../../src/contract/macro';
import { readForeignJson } from '../../../src/core/shared/json';
import { hidingSecrets } from '../../../src/core/shared/plain-secrets';
import { redactAll } from '../../../src/core/shared/redact';
import { gatewayHasNone, ProviderFailure, providerText, refusedUntil } from '../shared/failure';
import { isSafe, isSuccess, type Declared } from './parameters';
import type { OneAnswer, OneRequest } from './send';

/** 425: RFC 8470, section 5.2. Other temporary statuses are in shared/failure.ts. */
const TOO_EARLY = 425;
/** RFC 4918, section 13: the body has a status for each part. */
const MULTI_STATUS = 207;
/** The longest answer that an expression can read. */
const MAX_JSON_LENGTH = 1_000_000;

type Target = Pick<OneRequest, 'method' | 'url'>;
type Answer = Pick<OneAnswer, 'status' | 'text'> & Partial<OneAnswer>;

/**
 * Returns the failure for an answer that is not a success. `secrets`: sent values that are removed from the message.
 */
export function refusal(
  { method, url }: Target,
  answer: Answer,
  secrets: readonly string[],
): ProviderFailure {
  const { status, text, retryAfter } = answer;
  const reason = providerText(text, secrets);
  const summary = `${method} ${url.host} answered ${status}${reason === '' ? '' : `: ${reason}`}`;
  if (gatewayHasNone(status)) return new ProviderFailure('no_answer', summary, { status });
  const until = status === 429 || status === 503 ? untilIn(retryAfter) : undefined;
  return new ProviderFailure('refused', summary, {
    ...{ status, until },
    ...(status === TOO_EARLY && { retryable: true }),
  });
}

const untilIn = (retryAfter: string | undefined) =>
  retryAfter === undefined ? undefined : refusedUntil(new Headers({ 'retry-after': retryAfter }));

/** @throws ProviderFailure for an answer that the declared tests do not accept. */
export function judge(
  declared: Declared,
  target: Target,
  answer: OneAnswer,
  secrets: readonly string[],
): void {
  const { success_status, success_when } = declared;
  const { status } = answer;
  if (success_status !== undefined || success_when === undefined || !readsStatus(success_when)) {
    if (!isSuccess(declared, status)) throw refusal(target, answer, secrets);
    if (success_status === undefined && status === MULTI_STATUS) throw unclear(target, answer, secrets);
  }
  if (success_when === undefined || isTrue(success_when, target, answer)) return;
  throw refusal(target, answer, secrets);
}

const readsStatus = (condition: string): boolean => checkCondition(condition, ['body']) !== undefined;

const unclear = ({ method, url }: Target, { status, text }: OneAnswer, secrets: readonly string[]) =>
  new ProviderFailure(
    'malformed',
    `${method} ${url.host} answered ${status}, which is no success by itself: ${providerText(text, secrets)}`,
  );

/** @throws ProviderFailure if the condition cannot be evaluated: then the answer proves nothing. */
function isTrue(condition: string, { method, url }: Target, { status, text }: OneAnswer): boolean {
  try {
    if (text.length > MAX_JSON_LENGTH) throw new ConditionError('the answer is too long', '');
    return holds(condition, { status, body: bodyOf(text) } as Variables);
  } catch (error) {
    if (!(error instanceof ConditionError)) throw error;
    throw new ProviderFailure(
      'malformed',
      `${method} ${url.host} answered ${status}, and success_when cannot be evaluated: ${error.message}`,
    );
  }
}

/** Returns the parsed JSON, or else the text; null if it is empty. */
function bodyOf(text: string): unknown {
  if (text.trim() === '') return null;
  const json = jsonOf(text);
  return json === undefined ? text : json;
}

/** Parses JSON. Returns undefined if the text is not JSON, or is too long. */
export function jsonOf(text: string): unknown {
  if (text.length > MAX_JSON_LENGTH) return undefined;
  try {
    return readForeignJson(text);
  } catch {
    return undefined;
  }
}

/** Returns true if the service may have made the change before it failed. GET and HEAD change nothing. */
export const mayHaveChanged = (method: string, { kind, status = 0, until }: ProviderFailure): boolean =>
  !isSafe(method) &&
  (kind === 'no_answer' ||
    kind === 'malformed' ||
    (kind === 'refused' && status >= 500 && until === undefined));

const MAX_KEPT_LENGTH = 1_000;

/** Returns the members of an answer that an undo needs, by their names in its placeholders, without secrets. */
export function keptOf(
  text: string,
  needed: readonly string[],
  secrets: readonly string[],
): Record<string, unknown> {
  const body = needed.length > 0 ? jsonOf(text) : undefined;
  const members = Object.fromEntries(
    needed.flatMap((name) => {
      const value = memberOf(body, name.split('.'));
      return value === undefined || value === null ? [] : [[name, hidingSecrets(redactAll(value, secrets))]];
    }),
  );
  return JSON.stringify(members).length > MAX_KEPT_LENGTH ? {} : members;
}

function memberOf(value: unknown, [name, ...rest]: readonly string[]): unknown {
  if (name === undefined) return value;
  if (typeof value !== 'object' || value === null || !Object.hasOwn(value, name)) return undefined;
  return memberOf((value as Record<string, unknown>)[name], rest);
}
