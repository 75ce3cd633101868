import { HTTP_STATUS, type ErrorBody } from '../../src/contract/errors';
import type { MacroState, TraceStep } from '../../src/contract/macro-run';

/** The faults of a run's end. It may fail only with errors of the public surface. */
export function wrongEnd(
  state: MacroState,
  error: ErrorBody | undefined,
  steps: readonly TraceStep[] = [],
): string[] {
  const wrong: string[] = [];
  if (!['completed', 'failed', 'rejected', 'cancelled'].includes(state)) wrong.push(`it is ${state}`);
  if (state === 'completed' && error) wrong.push(`it completed with ${error.message}`);
  if (state !== 'completed') wrong.push(...wrongError(error, state === 'rejected'));
  for (const step of steps) {
    if (step.state === 'running') wrong.push(`step ${step.number} is still running`);
    if (step.state === 'failed') wrong.push(...wrongError(step.error, false));
  }
  return wrong;
}

function wrongError(error: ErrorBody | undefined, rejected: boolean): string[] {
  if (error === undefined) return ['it failed without an error'];
  const { code, message, hint } = error;
  if (!(code in HTTP_STATUS)) return [`${code} is not documented`];
  if (rejected) return code === 'INTERNAL' || hint === '' ? [`it was rejected by ${code}: ${message}`] : [];
  const cause = (error.details as { code?: string } | undefined)?.code;
  const good =
    code === 'MACRO_FAILED' && /^\[(GATEWAY|TOOL) ERROR\] /.test(message) && /^\[HINT\]: \S/.test(hint);
  return good && cause !== 'INTERNAL' ? [] : [`it failed by ${code} (${cause}): ${message} ${hint}`];
}

/** The words of a refusal because a value is too large or too deep. */
export const SIZE_WORDS =
  /larger than|nested deeper|are more than|goes through long lists|may take no more|may make no more|characters, of at most/;
