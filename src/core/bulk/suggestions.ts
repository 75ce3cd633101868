import { MAX_SUGGESTION_LENGTH, MAX_SUGGESTIONS } from '../../contract/suggestions';
import { idSchema } from '../../contract/text';

const usable = idSchema(MAX_SUGGESTION_LENGTH);

/** The values that begin with the typed text, in any case, in alphabetical order: at most `MAX_SUGGESTIONS`. */
export function suggestionsFor(values: readonly string[], beginning: string): string[] {
  const typed = beginning.toLowerCase();
  return [...new Set(values)]
    .filter((value) => value.toLowerCase().startsWith(typed) && usable.safeParse(value).success)
    .sort((one, other) => one.localeCompare(other))
    .slice(0, MAX_SUGGESTIONS);
}
