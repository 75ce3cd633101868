import { suggestValues } from '../../client';
import type { SuggestionRequest } from '../../contract/suggestions';
import type { ApiContext } from '../context';

/** A page does not wait longer for what only helps. Milliseconds. */
const WAIT_MS = 1_000;
/** Names in a tool seldom change, and each list costs a request to it. Milliseconds. */
const KEPT_MS = 60_000;
const MAX_KEPT = 500;

/** The values that a parameter can have; none if its tool does not say so in time. */
export type Suggest = (request: SuggestionRequest) => Promise<string[]>;

export function createSuggestions({ client, taskQueue: task_queue }: ApiContext): Suggest {
  const kept = new Map<string, { until: number; values: Promise<string[]> }>();
  return (request) => {
    const key = JSON.stringify(request);
    const known = kept.get(key);
    if (known && known.until > Date.now()) return known.values;
    const values = suggestValues(client, request, { task_queue, wait_ms: WAIT_MS }).catch(() => {
      kept.delete(key);
      return [];
    });
    if (kept.size >= MAX_KEPT) kept.clear();
    kept.set(key, { until: Date.now() + KEPT_MS, values });
    return values;
  };
}
