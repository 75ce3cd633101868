import { parseInput } from '../../src/contract/errors';
import {
  SUGGESTION_MS,
  suggestionRequestSchema,
  type SuggestionRequest,
} from '../../src/contract/suggestions';
import { suggestionsFor } from '../../src/core/bulk/suggestions';
import type { ActivityDependencies } from '../shared/dependencies';
import { limits } from '../shared/limits';

/** The values of a parameter that its adapter finds in the tool; none if the adapter does not support that. */
export async function suggest(
  { adapters }: Pick<ActivityDependencies, 'adapters'>,
  request: SuggestionRequest,
): Promise<string[]> {
  const asked = parseInput(suggestionRequestSchema, request, 'The request for suggestions');
  const { domain, parameter, params, beginning } = asked;
  const values = await adapters.get(domain).suggest?.({ parameter, params }, limits(SUGGESTION_MS));
  return suggestionsFor(values ?? [], beginning);
}
