import { randomUUID } from 'node:crypto';
import type { Readable, Writable } from 'node:stream';
import type { McpServer, Transport } from '@modelcontextprotocol/server';
import type { Caller } from './caller';
import { createChanges } from './changes';
import { exactMessages } from './exact-numbers';
import type { McpContext } from './context';
import { stdioSdk } from './sdk';
import { createMcpServer } from './server';

/** The agent of a host on this machine acts for the user that runs the host. */
export function localCaller(userName: string): Caller {
  const conversation = randomUUID().slice(0, 8);
  return { id: 'local', name: userName, sessions: `mcp.local.`, conversation };
}

/** Serves one host over its pipes, until it closes them. */
export function serveMcpStdio(
  context: McpContext,
  caller: Caller,
  pipes: { stdin: Readable; stdout: Writable },
  onFailure: (error: Error) => void,
): { ended: Promise<void>; stop(): Promise<void> } {
  const { stdin, stdout } = pipes;
  const ended = new Promise<void>((resolve) => {
    stdin.once('end', resolve).once('close', resolve).once('error', resolve);
    // A disconnected host reads nothing more.
    stdout.once('error', resolve);
  });
  const transport = new (stdioSdk().StdioServerTransport)(exactMessages(stdin, stdout), stdout);
  return { ended, ...serveMcp(context, caller, transport, onFailure) };
}

/** Serves one host over a transport. */
export function serveMcp(
  context: McpContext,
  caller: Caller,
  transport: Transport,
  onFailure: (error: Error) => void,
): { stop(): Promise<void> } {
  let unsubscribe: (() => void) | undefined;
  let server: McpServer | undefined;
  const changes = createChanges(context, caller, (uri) => {
    // The entry forwards only what has a subscriber.
    void server?.server.sendResourceUpdated({ uri }).catch(() => undefined);
  });
  const send = transport.send.bind(transport);
  transport.send = (message, options) => {
    if ('method' in message && message.method === LISTENS) unsubscribe ??= changes.want();
    return send(message, options);
  };
  const serving = stdioSdk().serveStdio(() => (server = createMcpServer(context, caller)), {
    transport,
    onerror: onFailure,
  });
  const stop = () => {
    unsubscribe?.();
    return serving.close();
  };
  return { stop };
}

/** The entry, which serves subscriptions by itself, sends this when one is open. */
const LISTENS = 'notifications/subscriptions/acknowledged';
