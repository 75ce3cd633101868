import { setTimeout as sleep } from 'node:timers/promises';
import type { Caller } from './caller';
import type { McpContext } from './context';
import { INBOX, ownOperations, reportUri, statusUri } from './resources';

/** The interval at which lists are read while a subscriber exists. Milliseconds. */
const LIST_EVERY_MS = 1_000;

/** Reports changes of an agent's own operations while it subscribes to any. */
export interface Changes {
  /** Returns the function that ends the subscription. */
  want(): () => void;
}

export function createChanges(context: McpContext, caller: Caller, tell: (uri: string) => void): Changes {
  let wishes = 0;
  /** The operations of the last list, also of an earlier subscription. */
  const listed = new Set<string>();
  let stop: AbortController | undefined;
  return {
    want() {
      if (wishes++ === 0) {
        stop = new AbortController();
        void follow(context, caller, tell, stop.signal, listed);
      }
      let active = true;
      return () => {
        if (active && --wishes === 0) stop?.abort();
        active = false;
      };
    },
  };
}

async function follow(
  context: McpContext,
  caller: Caller,
  tell: (uri: string) => void,
  signal: AbortSignal,
  listed: Set<string>,
): Promise<void> {
  // The first list reports every operation: one may have changed between the subscription and that list.
  let states = new Map<string, string>();
  while (!signal.aborted) {
    // An unreachable server reports no changes.
    const rows = await ownOperations(context, caller).catch(() => undefined);
    if (rows) {
      const now = new Map(rows.map((row) => [row.operation_id, JSON.stringify([row.state, row.progress])]));
      const changed = [...now].filter(([id, state]) => states.get(id) !== state).map(([id]) => id);
      // Deleted in Temporal, or older than the listed operations. A further read shows its reader which.
      const gone = [...listed].filter((id) => !now.has(id));
      for (const id of [...changed, ...gone]) [statusUri(id), reportUri(id)].forEach(tell);
      if (changed.length + gone.length > 0) tell(INBOX);
      states = now;
      listed.clear();
      for (const id of now.keys()) listed.add(id);
    }
    await sleep(LIST_EVERY_MS, undefined, { signal }).catch(() => undefined);
  }
}
