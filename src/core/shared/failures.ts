import { errorCodeSchema, type ErrorBody } from '../../contract/errors';
import { bytesOf, withinBytes } from './bounds';

/** The limit of an error's texts, which come from tools and adapters, and are stored in histories and statuses. */
const MAX_TEXT_BYTES = 2_048;
const MAX_DETAILS_BYTES = 8_192;

/** The error of a call when no attempt returned a result or a failure. */
export const NO_ANSWER: ErrorBody = {
  code: 'ADAPTER_UNAVAILABLE',
  message: 'The tool or its worker did not answer in time.',
  hint: 'Check that the tool is reachable and a worker is running.',
};

/** An error whose parts fit into any payload. Details that are too large are left out. */
function boundedError({ code, message, hint, details }: ErrorBody): ErrorBody {
  return {
    code,
    message: withinBytes(message, MAX_TEXT_BYTES),
    hint: withinBytes(hint, MAX_TEXT_BYTES),
    ...(details !== undefined && bytesOf(details) <= MAX_DETAILS_BYTES && { details }),
  };
}

/** The fields of a Temporal application failure that carries an error of the public surface: its `type` is the code. */
export function toFailureFields(error: ErrorBody): {
  type: string;
  message: string;
  details: unknown[];
} {
  const { code, message, hint, details } = boundedError(error);
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
    details: extra.details,
  };
}
