import { errorCodeSchema, type ErrorBody } from '../../contract/errors';

/** The fields of a Temporal application failure that carries an error of the public surface: its `type` is the code. */
export function toFailureFields({ code, message, hint, details }: ErrorBody): {
  type: string;
  message: string;
  details: unknown[];
} {
  return { type: code, message, details: [{ hint, details }] };
}

/** The error that an application failure carries; undefined when it is not one of ours. */
export function fromFailureFields(failure: {
  type?: string | null;
  message: string;
  details?: unknown[] | null;
}): ErrorBody | undefined {
  const code = errorCodeSchema.safeParse(failure.type);
  if (!code.success) return undefined;
  const extra = (failure.details?.[0] ?? {}) as { hint?: string; details?: unknown };
  return {
    code: code.data,
    message: failure.message,
    hint: extra.hint ?? 'Look at the operation in the Temporal UI.',
    ...(extra.details !== undefined && { details: extra.details }),
  };
}
