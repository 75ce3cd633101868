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

/** The number of recent agents kept. An agent that returns after this many others must subscribe again. */
const REMEMBERED = 1_000;

/** The agent of a key, or of a person's token. A session prefix of the key also limits the agent's sessions. */
export function remoteCaller(who: { id: string; name: string; session_prefix?: string }): Caller {
  const { id, name, session_prefix } = who;
  const sessions = `${session_prefix ?? ''}mcp.${id}.`;
  return { id, name, session_prefix, sessions, conversation: 'main' };
}

export function createMcpOverHttp(context: McpContext, onFailure: (error: Error) => void): McpOverHttp {
  // One handler per agent, so that no agent's subscription receives another agent's changes.
  const handlers = new Map<string, McpHttpHandler>();
  const handlerOf = (caller: Caller) => {
    const existing = handlers.get(caller.sessions);
    if (existing) return existing;
    const bus = createBus(context, caller);
    const handler = sdk().createMcpHandler(
      // A request of a client of 2025 has no connection that a later notification could use.
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

/** Reads changes while one of the agent's streams is open. */
function createBus(context: McpContext, caller: Caller): ServerEventBus {
  const bus = new (sdk().InMemoryServerEventBus)();
  const changes = createChanges(context, caller, (uri) => bus.publish({ kind: 'resource_updated', uri }));
  return {
    publish: (event) => bus.publish(event),
    subscribe(listener) {
      const leave = bus.subscribe(listener);
      const unsubscribe = changes.want();
      return () => {
        leave();
        unsubscribe();
      };
    },
  };
}
