import { once } from 'node:events';
import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Touch } from './record';

/** `keyed` executes an idempotency key once; `blind` executes every request; `readable` also returns its items. */
export type Kind = 'keyed' | 'blind' | 'readable';
export const KEY_HEADER = 'Idempotency-Key';
/** The requester of operations that two people must approve. */
export const REQUESTER = 'the requester';
/** The state of an item after a change. */
export const DONE = 'done';

/** The moment at which a request waits: before it is executed, or after that and before its answer. */
export type Moment = 'held' | 'applied';

interface Hold {
  /** Resolves with the request's item when a request waits here. */
  sprung: Promise<string>;
  /** Releases it and holds no others; `drop` closes its connection, and a request not yet executed never is. */
  release(fate: 'go' | 'drop'): void;
}

export interface RecordingTarget {
  port: number;
  touches: readonly Touch[];
  /** True if an item was executed, as a person would look it up. */
  isApplied(item: string): boolean;
  /** Changes an item as a third party would. */
  change(item: string): void;
  /** Holds a request at this moment, after `leaveOut` others; by default for any item. */
  hold(moment: Moment, leaveOut: number, matches?: (item: string) => boolean): Hold;
  close(): Promise<void>;
}

export const operationOf = (item: string): string => item.split('~')[0] ?? '';

interface Armed {
  moment: Moment;
  leaveOut: number;
  matches: (item: string) => boolean;
  spring: (item: string) => void;
  released: Promise<'go' | 'drop'>;
}

/** Holds requests until their fate is decided. */
function holding() {
  const armed: Armed[] = [];
  const reach = async (moment: Moment, item: string): Promise<'go' | 'drop'> => {
    const here = armed.filter((hold) => hold.moment === moment && hold.matches(item));
    const hold = here.find(({ leaveOut }) => leaveOut === 0);
    for (const other of here) if (other.leaveOut > 0) other.leaveOut -= 1;
    if (!hold) return 'go';
    disarm(hold);
    hold.spring(item);
    return hold.released;
  };
  const disarm = (hold: Armed) => {
    if (armed.includes(hold)) armed.splice(armed.indexOf(hold), 1);
  };
  const hold: RecordingTarget['hold'] = (moment, leaveOut, matches = () => true) => {
    let release: (fate: 'go' | 'drop') => void = () => undefined;
    let spring: (item: string) => void = () => undefined;
    const sprung = new Promise<string>((resolve) => (spring = resolve));
    const released = new Promise<'go' | 'drop'>((resolve) => (release = resolve));
    const held: Armed = { moment, leaveOut, matches, spring, released };
    armed.push(held);
    return {
      sprung,
      release(fate) {
        disarm(held);
        release(fate);
      },
    };
  };
  return { reach, hold };
}

/**
 * A service behind HTTP that records every change: `/KIND/ITEM`, where an item is named `OPERATION~NUMBER`, or
 * `/KIND/ITEM/EDIT` after an edit. A GET reads the item.
 * @param everythingTwice executes each request twice, to show that the check notices.
 */
export async function startTarget(everythingTwice = false): Promise<RecordingTarget> {
  const touches: Touch[] = [];
  const keys = new Set<string>();
  const states = new Map<string, string>();
  const { reach, hold } = holding();
  const serve = async (path: string, key: string | undefined, response: ServerResponse) => {
    const [, kind, item = '', edit] = decodeURIComponent(path).split('/');
    const touch: Touch = { operation: operationOf(item), item, at: Date.now(), applied: false, edit };
    touches.push(touch);
    if ((await reach('held', item)) === 'drop') return response.destroy();
    touch.applied = kind !== 'keyed' || !keys.has(key ?? '');
    states.set(item, DONE);
    if (key !== undefined) keys.add(key);
    if (everythingTwice) touches.push({ ...touch });
    if ((await reach('applied', item)) === 'drop') return response.destroy();
    return response.end('{}');
  };
  const server = createServer((request, response) => {
    request.resume();
    const { [KEY_HEADER.toLowerCase()]: key } = request.headers;
    if (request.method === 'GET') {
      const state = states.get(decodeURIComponent(request.url ?? '').split('/')[2] ?? '') ?? 'new';
      return void response.end(JSON.stringify({ state }));
    }
    return void serve(request.url ?? '', typeof key === 'string' ? key : undefined, response);
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    port: (server.address() as AddressInfo).port,
    touches,
    isApplied: (item) => touches.some((touch) => touch.item === item && touch.applied),
    change: (item) => void states.set(item, `changed ${Date.now()}`),
    hold,
    async close() {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
}
