import type { BulkAdapter } from '../contract/adapter';
import { BatchgateError } from '../contract/errors';

/** The adapters of a worker, by tool name. */
export interface AdapterRegistry {
  /** @throws BatchgateError `UNKNOWN_ADAPTER`, naming those there are. */
  get(toolName: string): BulkAdapter;
  list(): BulkAdapter[];
}

export function createRegistry(adapters: readonly BulkAdapter[]): AdapterRegistry {
  const byName = new Map(adapters.map((adapter) => [adapter.toolName, adapter]));
  if (byName.size < adapters.length) throw sameName(adapters);
  return {
    get(toolName) {
      const adapter = byName.get(toolName);
      if (adapter) return adapter;
      throw new BatchgateError(
        'UNKNOWN_ADAPTER',
        `No bulk adapter registered for tool: ${toolName}`,
        `Use one of: ${[...byName.keys()].sort().join(', ')}.`,
      );
    },
    list: () => [...byName.values()],
  };
}

function sameName(adapters: readonly BulkAdapter[]): BatchgateError {
  const names = adapters.map(({ toolName }) => toolName);
  const twice = names.find((name, at) => names.indexOf(name) !== at);
  return new BatchgateError(
    'NOT_CONFIGURED',
    `Two adapters are called ${twice}.`,
    'Give one of them another toolName.',
  );
}
