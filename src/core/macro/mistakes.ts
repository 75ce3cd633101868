import { BatchgateError } from '../../contract/errors';

/** One mistake of a macro. `path`: where in the macro's file, as `steps[2].then[0].args.id`. */
export interface Mistake {
  macro: string;
  path: string;
  message: string;
  hint: string;
}

/** A JSON path as it reads in errors and traces. */
export function pathText(path: readonly PropertyKey[]): string {
  return path
    .map((part, at) => (typeof part === 'number' ? `[${part}]` : `${at === 0 ? '' : '.'}${String(part)}`))
    .join('');
}

const SHOWN = 5;

/** All mistakes as the one error of the public surface: `INVALID_INPUT`, every mistake in its details. */
export function mistakesError(mistakes: readonly Mistake[]): BatchgateError {
  const lines = mistakes.slice(0, SHOWN).map(({ macro, path, message }) => {
    const place = path === '' ? macro : `${macro} ${path}`;
    return `${place}: ${message.replace(/\.$/, '')}`;
  });
  const more = mistakes.length > SHOWN ? `; and ${mistakes.length - SHOWN} more` : '';
  const many = mistakes.length === 1 ? 'has a mistake' : `has ${mistakes.length} mistakes`;
  return new BatchgateError(
    'INVALID_INPUT',
    `The macro ${many}: ${lines.join('; ')}${more}.`,
    mistakes.length === 1
      ? (mistakes[0]?.hint ?? '')
      : 'Correct each of them; `details` has a hint for every one. Nothing was run.',
    { mistakes },
  );
}
