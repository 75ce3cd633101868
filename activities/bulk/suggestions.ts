import { parseInput } from '../../src/contract/errors';
import {
  SUGGESTION_MS,
  suggestionRequestSchema,
  type SuggestionRequest,
} from '../../src/contract/suggestions';
import { suggestionsFor } from '../../src/core/bulk/suggestions';
import type { ActivityDependencies } from '../shared/dependencies';
import { limits } from '../shared/limits';

/** What a parameter can be, as its adapter finds it at the tool; nothing where the adapter does not look. */
export async function suggest(
  { adapters }: Pick<ActivityDependencies, 'adapters'>,
  request: SuggestionRequest,
): Promise<string[]> {
  const asked = parseInput(suggestionRequestSchema, request, 'The request for suggestions');
  const { domain, parameter, params, beginning } = asked;
  const values = await adapters.get(domain).suggest?.({ parameter, params }, limits(SUGGESTION_MS));
  return suggestionsFor(values ?? [], beginning);
}
