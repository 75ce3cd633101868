import { setTimeout as pause } from 'node:timers/promises';
import { sendHostile } from './messages';
import type { Fault } from './plan';
import type { Stage } from './stage';

/** How long a fault waits for the request that it is to meet. */
const TRIGGER_MS = 10_000;
const STEP_MS = 100;

export interface Scene extends Stage {
  /** The operations that go on. */
  live: ReadonlySet<string>;
  /** Told when workers that were killed are started again. */
  restarted: () => void;
  say: (line: string) => void;
}

type Release = (fate: 'go' | 'drop') => void;

/** One fault after the other, each healed before the next. */
export async function strikeAll(scene: Scene, plan: readonly Fault[]): Promise<void> {
  for (const [at, fault] of plan.entries()) {
    const { moment, leaveOut } = fault.at;
    const hold = moment && scene.target.hold(moment, leaveOut);
    if (hold) await within(TRIGGER_MS, hold.sprung);
    else await pause(leaveOut * STEP_MS);
    scene.say(`fault ${at + 1} of ${plan.length}: ${describe(fault)}`);
    await strike(scene, fault, (fate) => hold?.release(fate));
  }
}

async function within(ms: number, event: Promise<void>): Promise<void> {
  const over = new AbortController();
  const late = pause(ms, undefined, { signal: over.signal }).catch(() => undefined);
  await Promise.race([event, late]);
  over.abort();
}

async function strike(scene: Scene, fault: Fault, release: Release): Promise<void> {
  const { client, workers, server, database, network, live, restarted } = scene;
  switch (fault.kind) {
    case 'worker killed':
      await Promise.all(workers.map((worker) => worker.kill()));
      release(fault.fate);
      restarted();
      await Promise.all(workers.map((worker) => worker.startAgain()));
      return;
    case 'server killed':
      await server.kill();
      release(fault.fate);
      return server.startAgain();
    case 'database killed':
      await database?.kill();
      release(fault.fate);
      return database?.startAgain();
    case 'worker suspended':
    case 'server suspended': {
      const victim = fault.kind === 'worker suspended' ? workers[0] : server;
      victim?.suspend();
      release('go');
      await pause(fault.ms);
      return victim?.goOn();
    }
    case 'network':
      await network.strike(fault.link, fault.fault);
      release('go');
      await pause(fault.ms);
      return network.heal(fault.link);
    case 'message':
      release('go');
      return sendHostile(client, fault.message, [...live][0] ?? '');
  }
}

function describe(fault: Fault): string {
  const { moment, leaveOut } = fault.at;
  const when = moment === undefined ? '' : `, request ${leaveOut + 1} ${moment}`;
  switch (fault.kind) {
    case 'message':
      return `${fault.message}${when}`;
    case 'network':
      return `network, ${fault.fault} of ${fault.link} for ${fault.ms} ms${when}`;
    case 'worker suspended':
    case 'server suspended':
      return `${fault.kind} for ${fault.ms} ms${when}`;
    default:
      return `${fault.kind}${when}, then ${fault.fate}`;
  }
}
