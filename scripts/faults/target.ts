import { once } from 'node:events';
import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Touch } from './record';

/** `keyed` does nothing twice for one idempotency key; `blind` does whatever it is asked. */
export type Kind = 'keyed' | 'blind';
export const KEY_HEADER = 'Idempotency-Key';

/** A request that has arrived and waits: before it is carried out, or after that and before its answer. */
export type Moment = 'held' | 'applied';

interface Hold {
  /** Resolves, with its operation, when a request waits here. */
  sprung: Promise<string>;
  /** Lets it go on; `drop` ends its connection, and one that was not carried out never is. Nothing more is held. */
  release(fate: 'go' | 'drop'): void;
}

export interface RecordingTarget {
  port: number;
  touches: readonly Touch[];
  /** Whether an item was carried out, as a person would look it up. */
  isApplied(item: string): boolean;
  /** Holds a request at this moment, after leaving out so many; of one operation, where it is named. */
  hold(moment: Moment, leaveOut: number, of?: string): Hold;
  close(): Promise<void>;
}

interface Armed {
  moment: Moment;
  leaveOut: number;
  of: string | undefined;
  spring: (operation: string) => void;
  released: Promise<'go' | 'drop'>;
}

/**
 * A service behind HTTP that writes down every request: `POST /KIND/ITEM`, where an item is named `OPERATION~NUMBER`.
 * @param everythingTwice breaks it: it carries each request out twice, to show that the check sees it.
 */
export async function startTarget(everythingTwice = false): Promise<RecordingTarget> {
  const touches: Touch[] = [];
  const keys = new Set<string>();
  let armed: Armed | undefined;
  const reach = async (moment: Moment, operation: string): Promise<'go' | 'drop'> => {
    if (armed?.moment !== moment || (armed.of ?? operation) !== operation) return 'go';
    if (armed.leaveOut-- > 0) return 'go';
    const { spring, released } = armed;
    armed = undefined;
    spring(operation);
    return released;
  };
  const serve = async (path: string, key: string | undefined, response: ServerResponse) => {
    const [, kind, item = ''] = decodeURIComponent(path).split('/');
    const touch: Touch = { operation: item.split('~')[0] ?? '', item, at: Date.now(), applied: false };
    touches.push(touch);
    if ((await reach('held', touch.operation)) === 'drop') return response.destroy();
    touch.applied = kind === 'blind' || !keys.has(key ?? '');
    if (key !== undefined) keys.add(key);
    if (everythingTwice) touches.push({ ...touch });
    if ((await reach('applied', touch.operation)) === 'drop') return response.destroy();
    return response.end('{}');
  };
  const server = createServer((request, response) => {
    request.resume();
    const { [KEY_HEADER.toLowerCase()]: key } = request.headers;
    void serve(request.url ?? '', typeof key === 'string' ? key : undefined, response);
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    port: (server.address() as AddressInfo).port,
    touches,
    isApplied: (item) => touches.some((touch) => touch.item === item && touch.applied),
    hold(moment, leaveOut, of) {
      let release: (fate: 'go' | 'drop') => void = () => undefined;
      let spring: (operation: string) => void = () => undefined;
      const sprung = new Promise<string>((resolve) => (spring = resolve));
      const released = new Promise<'go' | 'drop'>((resolve) => (release = resolve));
      const hold: Armed = { moment, leaveOut, of, spring, released };
      armed = hold;
      return {
        sprung,
        release(fate) {
          if (armed === hold) armed = undefined;
          release(fate);
        },
      };
    },
    async close() {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
}
