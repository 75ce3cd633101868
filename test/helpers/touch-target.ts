import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

/**
 * The moments of an item at which a test can hold a worker process. `held`: its request has arrived, nothing is done
 * yet; `applied`: it is done and not answered; `reading`: it is being read back. The worker process reports the others:
 * `planning` before a plan is stored (with the id of item 0), `claiming` before the batch is claimed, `intended` after
 * an item's intent is written, `answered` before its result is written, `recorded` after it, `fenced` after a batch was
 * given up. An edit has `replanning` before its plan is staged, `replanned` after it, `adopting` before the plans are
 * swapped, `adopted` after it (with the id of item 0).
 */
export type Moment =
  | 'replanning'
  | 'replanned'
  | 'adopting'
  | 'adopted'
  | 'planning'
  | 'claiming'
  | 'intended'
  | 'held'
  | 'applied'
  | 'answered'
  | 'recorded'
  | 'fenced'
  | 'reading';

interface Touch {
  applied: boolean;
}

export interface Trap {
  /** Resolves with the item's id when a worker is held here. */
  sprung: Promise<string>;
  /** Releases the request; `drop` ends it without doing anything. */
  release(fate?: 'go' | 'drop'): void;
  disarm(): void;
}

export interface TouchTarget {
  url: string;
  /** Every request that tried to change an item, by its id, in order. */
  touches: ReadonlyMap<string, readonly Touch[]>;
  /** The marks that were set on items. */
  marks: ReadonlyMap<string, string>;
  /** The times at which each item was read back, in milliseconds since the epoch. */
  reads: ReadonlyMap<string, readonly number[]>;
  /** Holds the next item that reaches this moment, after `leaveOut` others. */
  trap(moment: Moment, leaveOut?: number, matches?: (id: string) => boolean): Trap;
  close(): Promise<void>;
}

interface ArmedTrap {
  moment: Moment;
  leaveOut: number;
  wanted: (id: string) => boolean;
  spring: (id: string) => void;
  released: Promise<'go' | 'drop'>;
}

/** `POST /marks/none/ID` removes an item's mark. */
export const NO_MARK = 'none';

/** A tool behind HTTP that counts the changes of each item, and can hold any request. */
export async function startTouchTarget(): Promise<TouchTarget> {
  const touches = new Map<string, Touch[]>();
  const marks = new Map<string, string>();
  const reads = new Map<string, number[]>();
  const armed = new Set<ArmedTrap>();

  const reached = async (moment: Moment, id: string): Promise<'go' | 'drop'> => {
    for (const trap of armed) {
      if (trap.moment !== moment || !trap.wanted(id)) continue;
      if (trap.leaveOut-- > 0) continue;
      armed.delete(trap);
      trap.spring(id);
      return trap.released;
    }
    return 'go';
  };
  const touch = async (id: string, apply = () => {}): Promise<'go' | 'drop'> => {
    const attempt: Touch = { applied: false };
    touches.set(id, [...(touches.get(id) ?? []), attempt]);
    if ((await reached('held', id)) === 'drop') return 'drop';
    attempt.applied = true;
    apply();
    return reached('applied', id);
  };
  const readBack = async (id: string): Promise<'go' | 'drop'> => {
    reads.set(id, [...(reads.get(id) ?? []), Date.now()]);
    return reached('reading', id);
  };
  const answer = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const [, kind, ...rest] = decodeURIComponent(request.url ?? '').split('/');
    const [id = '', moment = 'recorded'] = rest.reverse();
    const fate =
      kind === 'moments'
        ? await reached(moment as Moment, id)
        : request.method === 'POST'
          ? await touch(id, () => kind === 'marks' && setMark(id, moment))
          : await readBack(id);
    if (fate === 'drop') return void response.destroy();
    const applied = touches.get(id)?.some(({ applied }) => applied) ?? false;
    response.end(JSON.stringify({ applied, mark: marks.get(id) }));
  };

  const setMark = (id: string, mark: string) => (mark === NO_MARK ? marks.delete(id) : marks.set(id, mark));

  // The default closes idle connections after five seconds, while a suspended worker holds them.
  const server = createServer({ keepAliveTimeout: 0 }, (request, response) => {
    request.resume();
    void answer(request, response);
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}`,
    touches,
    marks,
    reads,
    trap(moment, leaveOut = 0, matches = () => true) {
      let release: (fate: 'go' | 'drop') => void = () => undefined;
      let spring: (id: string) => void = () => undefined;
      const sprung = new Promise<string>((resolve) => (spring = resolve));
      const released = new Promise<'go' | 'drop'>((resolve) => (release = resolve));
      const trap: ArmedTrap = { moment, leaveOut, wanted: matches, spring, released };
      armed.add(trap);
      return { sprung, release: (fate = 'go') => release(fate), disarm: () => void armed.delete(trap) };
    },
    async close() {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
}
