import { suggestValues } from '../../client';
import type { SuggestionRequest } from '../../contract/suggestions';
import type { ApiContext } from '../context';

/** The longest wait of a page for suggestions, which are optional. Milliseconds. */
const WAIT_MS = 1_000;
/** Lifetime of a cached list: names in a tool rarely change, and each list costs a request. Milliseconds. */
const LIFETIME_MS = 60_000;
const MAX_LISTS = 500;

/** Returns the values that a parameter can have; none if its tool does not answer in time. */
export type Suggest = (request: SuggestionRequest) => Promise<string[]>;

export function createSuggestions({ client, taskQueue: task_queue }: ApiContext): Suggest {
  const cache = new Map<string, { until: number; values: Promise<string[]> }>();
  return (request) => {
    const key = JSON.stringify(request);
    const entry = cache.get(key);
    if (entry && entry.until > Date.now()) return entry.values;
    const values = suggestValues(client, request, { task_queue, wait_ms: WAIT_MS }).catch(() => {
      cache.delete(key);
      return [];
    });
    if (cache.size >= MAX_LISTS) cache.clear();
    cache.set(key, { until: Date.now() + LIFETIME_MS, values });
    return values;
  };
}
