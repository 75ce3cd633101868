import { BatchgateError, parseInput } from '../contract/errors';
import { completeRequestSchema, type CompleteRequest } from '../contract/messages';

/**
 * The argument of `complete`, which may be left out.
 * @throws BatchgateError `INVALID_INPUT` when it cannot be read, or is to force without a reason.
 */
export function parseCompletion(value: unknown): CompleteRequest {
  const request = parseInput(completeRequestSchema, value ?? {}, 'The message');
  if (!request.force || (request.reason ?? '').trim() !== '') return request;
  throw new BatchgateError(
    'INVALID_INPUT',
    'Forced completion needs a reason.',
    'Say in reason why the missing items do not matter.',
  );
}
