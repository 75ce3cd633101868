import { setTimeout as pause } from 'node:timers/promises';
import { sendHostile } from './messages';
import type { Fault } from './plan';
import type { WorkerVictim } from './parts';
import type { Stage } from './stage';

/** How long a fault waits for the request that it is to meet. */
const TRIGGER_MS = 10_000;
const STEP_MS = 100;
/** How long a suspended worker waits for another one to take its batch. */
const OVERTAKEN_MS = 20_000;
/** How long it then goes on without a word from the server. */
const ALONE_MS = 1_500;

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
    const operation = hold && (await within(TRIGGER_MS, hold.sprung));
    if (!hold) await pause(leaveOut * STEP_MS);
    scene.say(`fault ${at + 1} of ${plan.length}: ${describe(fault)}`);
    await strike(scene, fault, (fate) => hold?.release(fate), operation);
  }
}

async function within<T>(ms: number, event: Promise<T>): Promise<T | undefined> {
  const over = new AbortController();
  const late = pause(ms, undefined, { signal: over.signal }).catch(() => undefined);
  return Promise.race([event, late]).finally(() => over.abort());
}

/** `operation`: that of the request which is held. */
async function strike(scene: Scene, fault: Fault, release: Release, operation?: string): Promise<void> {
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
    case 'worker overtaken':
      return overtake(scene, release, operation);
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

/**
 * A worker sleeps amid a batch until the next attempt is in the hands of another one, and goes on where it was while no
 * server tells it that it was given up: only the ledger can stop it.
 */
async function overtake(
  { server, target, ...scene }: Scene,
  release: Release,
  operation?: string,
): Promise<void> {
  if (operation === undefined) return release('go');
  const sleeper = await workerOf(scene, operation);
  sleeper?.suspend();
  release('go');
  const taken = target.hold('held', 0, operation);
  await within(OVERTAKEN_MS, taken.sprung);
  server.suspend();
  sleeper?.goOn();
  await pause(ALONE_MS);
  taken.release('go');
  server.goOn();
}

/** The worker that runs a batch of this operation. */
async function workerOf(
  { client, workers }: Pick<Scene, 'client' | 'workers'>,
  operation: string,
): Promise<WorkerVictim | undefined> {
  const { raw } = await client.workflow.getHandle(operation).describe();
  const names = (raw.pendingActivities ?? []).map(({ lastWorkerIdentity }) => lastWorkerIdentity ?? '');
  return workers.find((worker) => names.some((name) => name.startsWith(`${worker.pid()}@`))) ?? workers[0];
}

function describe(fault: Fault): string {
  const { moment, leaveOut } = fault.at;
  const when = moment === undefined ? '' : `, request ${leaveOut + 1} ${moment}`;
  switch (fault.kind) {
    case 'worker overtaken':
      return `${fault.kind}${when}`;
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
