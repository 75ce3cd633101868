import { randomUUID } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import { gateOf } from '../../../src/client';
import { isClosed } from '../../../src/core/bulk/transitions';
import { isLost, isUnavailable, type Answer } from './answers';
import type { Decision, Door } from './doors';

/** A decision with all answers to its sender. */
export interface Sent extends Decision {
  door: Pick<Door, 'name' | 'forgets' | 'oneCaller' | 'unnamed' | 'waits'>;
  answers: Answer[];
  copies: number;
}

/** The time for which a question must be open before a bare confirmation, and a margin. */
const OPEN_MS = 2_100;
const TRIES = 60;
/** A workflow task that timed out is retried after seconds. */
const AGAIN_MS = 500;
const HASTY = 10;

/** Reads and decides, and loses, repeats, delays or crosses its own requests, until the operation has ended. */
export async function runSender(door: Door, name: string, random: () => number): Promise<Sent[]> {
  const all: Sent[] = [];
  for (;;) {
    const status = await look(door);
    if (isClosed(status.state)) return all;
    const gate = gateOf(status);
    if (!gate) {
      await pause(20);
      continue;
    }
    if (door.waits) await pause(OPEN_MS);
    const { name: of, forgets, oneCaller, unnamed, waits } = door;
    const sent: Sent = {
      ...{ door: { name: of, forgets, oneCaller, unnamed, waits }, answers: [], copies: 0 },
      ...{ by: `${name}#${all.length + 1}`, id: randomUUID(), shown: gate as Decision['shown'] },
    };
    all.push(sent);
    await decide(door, sent, random);
  }
}

/** Reads the question; repeats that if a worker on a busy machine answers late. */
async function look(door: Door, tries = TRIES): ReturnType<Door['look']> {
  try {
    return await door.look();
  } catch (error) {
    if (tries === 0 || !isUnavailable(error)) throw error;
    await pause(AGAIN_MS);
    return look(door, tries - 1);
  }
}

async function decide(door: Door, sent: Sent, random: () => number): Promise<void> {
  const between = (least: number, most: number) => Math.floor(least + random() * (most - least));
  const copies = 1 + Math.floor(random() * 3);
  // The door names the question that this sender was shown, so the copy may arrive after the next one has opened.
  const mayStraggle = door.waits && !door.forgets && !door.unnamed;
  await Promise.all(
    Array.from({ length: copies }, async () => {
      // A delayed copy crosses the other copies and the other sender's decision.
      const straggles = random() < 0.2 && mayStraggle;
      await pause(random() < 0.5 ? 0 : straggles ? between(OPEN_MS, OPEN_MS + 400) : between(1, 300));
      if (random() < 0.2) return;
      await send(door, sent, random() < 0.4 ? between(0, 60) : undefined);
    }),
  );
  // Without a name or an id, a repetition cannot be distinguished from another sender's yes.
  for (let tries = 0; sent.answers.length === 0 && tries < TRIES && !door.forgets; tries++) {
    const isHasty = tries < HASTY;
    await pause(isHasty ? between(0, 100) : AGAIN_MS);
    await send(door, sent, isHasty && random() < 0.3 ? between(0, 60) : undefined);
  }
}

/** Sends one copy. Its answer is lost if it takes longer than `losesAfter`. */
async function send(door: Door, sent: Sent, losesAfter: number | undefined): Promise<void> {
  sent.copies++;
  const lost = new AbortController();
  const answer = door.confirm(sent, lost.signal).then(
    (result) => void (lost.signal.aborted || isLost(result) || sent.answers.push(result)),
    (error: unknown) => {
      if (!lost.signal.aborted && !isUnavailable(error)) throw error;
    },
  );
  if (losesAfter === undefined) return answer;
  const gone = pause(losesAfter).then(() => lost.abort());
  await Promise.race([answer, gone]);
}
