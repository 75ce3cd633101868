import { z } from 'zod';
import { innermost, scenarioOf, type ParameterScenario } from './mistakes';
import { inexactNumberOf, shortened, isUnreadable, whyUnreadable } from './text';

/** Every error code of the public surface, with its HTTP status. */
export const HTTP_STATUS = {
  INVALID_INPUT: 400,
  UNKNOWN_ADAPTER: 400,
  TOO_MANY_ITEMS: 400,
  UNAUTHORIZED: 401,
  FORBIDDEN: 403,
  NOT_FOUND: 404,
  SESSION_LOCKED: 409,
  NOT_AWAITING_CONFIRMATION: 409,
  STALE_CONFIRMATION: 409,
  QUESTION_NOT_SEEN: 409,
  CHANGED_SINCE_PREVIEW: 409,
  OPERATION_CLOSED: 409,
  GUARD_BLOCKED: 409,
  IDEMPOTENCY_CONFLICT: 409,
  JOB_LIMIT_REACHED: 429,
  RATE_LIMITED: 429,
  CREDENTIALS_INVALID: 422,
  NOT_CONFIGURED: 422,
  TOOL_FAILED: 422,
  MACRO_FAILED: 422,
  ADAPTER_UNAVAILABLE: 502,
  TEMPORAL_UNAVAILABLE: 503,
  INTERNAL: 500,
} as const;

export type ErrorCode = keyof typeof HTTP_STATUS;

export const errorCodeSchema = z.enum(Object.keys(HTTP_STATUS) as [ErrorCode, ...ErrorCode[]]);

/** The shape of every error. `hint` is the next step for the user. */
export const errorBodySchema = z.object({
  code: errorCodeSchema,
  message: z.string(),
  hint: z.string(),
  details: z.unknown().optional(),
});
export type ErrorBody = z.infer<typeof errorBodySchema>;

/**
 * An error of the public surface. `code` is stable, `message` is for people, and `hint` is their next step. Serialises
 * to `{ "error": { code, message, hint, details? } }`.
 *
 * @example
 * if (error instanceof BatchgateError && error.code === 'STALE_CONFIRMATION') await showTheQuestionAgain();
 */
export class BatchgateError extends Error {
  override readonly name = 'BatchgateError';

  constructor(
    readonly code: keyof typeof HTTP_STATUS,
    message: string,
    readonly hint: string,
    readonly details?: unknown,
  ) {
    super(message);
  }

  /** The JSON members of the error. */
  get body(): z.infer<typeof errorBodySchema> {
    const { code, message, hint, details } = this;
    return { code, message, hint, ...(details === undefined ? {} : { details }) };
  }

  /** Creates an error from a received body. */
  static from(body: z.infer<typeof errorBodySchema>): BatchgateError {
    return new BatchgateError(body.code, body.message, body.hint, body.details);
  }

  toJSON(): { error: z.infer<typeof errorBodySchema> } {
    return { error: this.body };
  }
}

/** A message may quote the input, which may be large. */
const QUOTED = 200;

/** Describes the first mistakes in a value, each with its path: `items[3].id: expected string`. */
export function describeIssues(error: z.ZodError): string {
  return error.issues
    .slice(0, 5)
    .map(innermost)
    .map((issue) => {
      const path = issue.path
        .map((part) => (typeof part === 'number' ? `[${part}]` : `.${String(part)}`))
        .join('');
      const message = shortened(issue.message, QUOTED);
      return path === '' ? message : `${shortened(path.replace(/^\./, ''), QUOTED)}: ${message}`;
    })
    .join('; ');
}

/**
 * Parses a value from outside with its schema.
 * @throws BatchgateError `INVALID_INPUT` naming the path of each mistake.
 */
export function parseInput<S extends z.ZodType>(schema: S, value: unknown, what: string): z.output<S> {
  if (isUnreadable(value)) {
    const number = inexactNumberOf(value);
    const remedy =
      number === undefined
        ? 'Send plain JSON, or give the worker the codec of the sender (BATCHGATE_PAYLOAD_CODEC)'
        : `Write it as text: "${number}"`;
    throw new BatchgateError(
      'INVALID_INPUT',
      `${what} ${whyUnreadable(value)}.`,
      `${remedy}; nothing was read or touched.`,
    );
  }
  const parsed = schema.safeParse(value);
  if (parsed.success) return parsed.data;
  throw new BatchgateError(
    'INVALID_INPUT',
    `${what} is not valid: ${describeIssues(parsed.error)}`,
    'Correct the named fields and send it again; nothing was read or touched.',
    mistakeDetails(parsed.error, value),
  );
}

const NAMED: readonly ParameterScenario[] = [
  'missing_parameter',
  'type_mismatch_string',
  'type_mismatch_array',
  'type_mismatch_number',
  'type_mismatch_boolean',
  'type_mismatch_object',
];

/** Returns the `details` of an error: the mistake of the first parameter, if it is missing or has another type. */
export function mistakeDetails(
  { issues: [first] }: z.ZodError,
  value: unknown,
): { scenario: ParameterScenario } | undefined {
  const scenario = first && scenarioOf(innermost(first), value);
  return scenario !== undefined && NAMED.includes(scenario) ? { scenario } : undefined;
}
