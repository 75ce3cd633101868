import type { McpHttpHandler, ServerEventBus } from '@modelcontextprotocol/server';
import type { Caller } from './caller';
import { createChanges } from './changes';
import type { McpContext } from './context';
import { sdk } from './sdk';
import { createMcpServer } from './server';

/** Serves agents over HTTP. */
export interface McpOverHttp {
  answer(caller: Caller, request: Request, body: unknown): Promise<Response>;
  close(): Promise<void>;
}

/** Agents that called lately. One that comes back after this many others opens its subscriptions again. */
const REMEMBERED = 1_000;

/** The agent of a key, or of a person's token. Who has a session prefix keeps its sessions within that. */
export function remoteCaller(who: { id: string; name: string; session_prefix?: string }): Caller {
  const { id, name, session_prefix = '' } = who;
  return { id, name, sessions: `${session_prefix}mcp.${id}.`, conversation: 'main' };
}

export function createMcpOverHttp(context: McpContext, onFailure: (error: Error) => void): McpOverHttp {
  // One for each agent, so that no subscription of one hears of another's.
  const handlers = new Map<string, McpHttpHandler>();
  const handlerOf = (caller: Caller) => {
    const there = handlers.get(caller.sessions);
    if (there) return there;
    const bus = createBus(context, caller);
    const handler = sdk().createMcpHandler(
      // Each request of a client of 2025 stands alone here, so nothing reaches that client later.
      ({ era }) => createMcpServer(context, caller, era === 'modern'),
      { bus, onerror: onFailure },
    );
    handlers.set(caller.sessions, handler);
    const [oldest] = handlers;
    if (handlers.size > REMEMBERED && oldest) {
      handlers.delete(oldest[0]);
      void oldest[1].close();
    }
    return handler;
  };
  return {
    answer: (caller, request, parsedBody) => handlerOf(caller).fetch(request, { parsedBody }),
    async close() {
      await Promise.all([...handlers.values()].map((handler) => handler.close()));
    },
  };
}

/** Looks for changes while one of the agent's streams is open. */
function createBus(context: McpContext, caller: Caller): ServerEventBus {
  const bus = new (sdk().InMemoryServerEventBus)();
  const changes = createChanges(context, caller, (uri) => bus.publish({ kind: 'resource_updated', uri }));
  return {
    publish: (event) => bus.publish(event),
    subscribe(listener) {
      const leave = bus.subscribe(listener);
      const unwant = changes.want();
      return () => {
        leave();
        unwant();
      };
    },
  };
}
