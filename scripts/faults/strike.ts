import { setTimeout as pause } from 'node:timers/promises';
import { sendHostile } from './messages';
import type { Fault } from './plan';
import { CONCURRENCY, type WorkerVictim } from './parts';
import type { OperationRecord } from './record';
import type { Stage } from './stage';
import { operationOf } from './target';

/** The maximum wait of a fault for the request that it should hit. */
const TRIGGER_MS = 10_000;
const STEP_MS = 100;
/** The maximum wait for a batch, and again for another worker to take it: windows close for a minute. */
const OVERTAKEN_MS = 90_000;
/** The time that its worker then has, without a message from the server, to send the other worker's requests. */
const ALONE_MS = 3_000;

export interface Scene extends Stage {
  /** The running operations. */
  live: ReadonlyMap<string, OperationRecord>;
  /** Called when all workers were killed and restarted. */
  restarted: () => void;
  say: (line: string) => void;
}

type Release = (fate: 'go' | 'drop') => void;

/**
 * Executes the faults of a plan in order, `strikes` at a time, and returns them. A part is healed before the next fault
 * hits it. After `seconds`, only faults of kinds that have not occurred yet begin.
 */
export async function strikeAll(
  scene: Scene,
  plan: readonly Fault[],
  strikes: number,
  seconds = Infinity,
): Promise<Fault[]> {
  const left = [...plan.entries()];
  const struck: Fault[] = [];
  const end = Date.now() + seconds * 1_000;
  const exclusive = createLocks();
  const lane = async () => {
    for (let next = left.shift(); next; next = left.shift()) {
      const [at, fault] = next;
      if (Date.now() > end && struck.some(({ kind }) => kind === fault.kind)) continue;
      struck.push(fault);
      await exclusive(partsOf(fault, scene), async () => {
        const { moment, leaveOut } = fault.at;
        const hold = moment && scene.target.hold(moment, leaveOut);
        if (hold) await within(TRIGGER_MS, hold.sprung);
        else await pause(leaveOut * STEP_MS);
        scene.say(`fault ${at + 1} of ${plan.length}: ${describe(fault)}`);
        await strike(scene, fault, (fate) => hold?.release(fate));
      });
    }
  };
  await Promise.all(Array.from({ length: strikes }, lane));
  return struck;
}

/** Runs work once nothing else uses any of its parts. */
function createLocks() {
  const ends = new Map<string, Promise<unknown>>();
  return <T>(parts: readonly string[], work: () => Promise<T>): Promise<T> => {
    const done = Promise.all(parts.map((part) => ends.get(part) ?? Promise.resolve())).then(work);
    const end = done.catch(() => undefined);
    for (const part of parts) ends.set(part, end);
    return done;
  };
}

function partsOf(fault: Fault, { workers }: Scene): string[] {
  const all = workers.map(({ name }) => name);
  switch (fault.kind) {
    case 'worker killed':
    case 'worker suspended':
      return victimsOf(fault, workers).map(({ name }) => name);
    case 'worker overtaken':
      return [...all, 'server'];
    case 'server killed':
    case 'server suspended':
      return ['server'];
    case 'database killed':
      return ['database'];
    case 'network':
      return [`link ${fault.link}`];
    case 'message':
      return [];
  }
}

function victimsOf({ which }: { which: number | 'all' }, workers: readonly WorkerVictim[]): WorkerVictim[] {
  return workers.filter((_, at) => which === 'all' || at === which);
}

async function within<T>(ms: number, event: Promise<T>): Promise<T | undefined> {
  const over = new AbortController();
  const late = pause(ms, undefined, { signal: over.signal }).catch(() => undefined);
  return Promise.race([event, late]).finally(() => over.abort());
}

async function strike(scene: Scene, fault: Fault, release: Release): Promise<void> {
  const { client, workers, server, database, network, live, restarted } = scene;
  switch (fault.kind) {
    case 'worker killed': {
      const victims = victimsOf(fault, workers);
      await Promise.all(victims.map((worker) => worker.kill()));
      release(fault.fate);
      if (victims.length === workers.length) restarted();
      await Promise.all(victims.map((worker) => worker.startAgain()));
      return;
    }
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
      const victim = fault.kind === 'worker suspended' ? workers[fault.which] : server;
      victim?.suspend();
      release('go');
      await pause(fault.ms);
      return victim?.goOn();
    }
    case 'worker overtaken':
      return overtake(scene);
    case 'network':
      await network.strike(fault.link, fault.fault);
      release('go');
      await pause(fault.ms);
      return network.heal(fault.link);
    case 'message':
      release('go');
      return sendHostile(client, fault.message, [...live.keys()][0] ?? '');
  }
}

/**
 * A worker loses the server during a batch, and its request is answered only after another worker has the next
 * attempt. Then it continues without learning from a server that it was given up: only the ledger can stop it.
 *
 * A suspended worker would not do. Its open polls swallow the tasks of the next attempt, and when it wakes, the SDK
 * cancels the batch by its own clock, 5 s after the heartbeat was due.
 */
async function overtake(scene: Scene): Promise<void> {
  const { client, target, network, live } = scene;
  const begun = await batchToOvertake(scene);
  if (!begun) return;
  const { hold, operation, worker } = begun;
  // The first worker has sent this slice, and the next attempt does not send it, so its items are in doubt.
  const slice = confirmedItems(live, operation).slice(0, CONCURRENCY);
  const next = target.hold('held', 0, (other) => operationOf(other) === operation && !slice.includes(other));
  await network.strike(worker.name, 'reset');
  // Otherwise the next task waits for this worker first, and the SDK may have ended the batch by then.
  await client.workflowService.resetStickyTaskQueue({
    namespace: client.options.namespace,
    execution: { workflowId: operation },
  });
  const contested = await within(OVERTAKEN_MS, next.sprung);
  const again = target.hold('applied', 0, (other) => other === contested);
  hold.release('go');
  await within(ALONE_MS, again.sprung);
  again.release('go');
  next.release('go');
  await network.heal(worker.name);
}

/** Holds the first request of a batch of several slices. */
async function batchToOvertake({ client, target, workers, live }: Scene) {
  const beginsSlices = (item: string) => {
    const items = confirmedItems(live, operationOf(item));
    return items.length > CONCURRENCY && items[0] === item;
  };
  for (let end = Date.now() + OVERTAKEN_MS; Date.now() < end;) {
    const hold = target.hold('applied', 0, beginsSlices);
    const item = await within(end - Date.now(), hold.sprung);
    const operation = item && operationOf(item);
    const worker = operation && (await workerOf({ client, workers }, operation));
    if (worker) return { hold, operation, worker };
    hold.release('go');
  }
  return undefined;
}

/** The items that the last confirmation of an operation runs, in order. */
function confirmedItems(live: Scene['live'], operation: string): string[] {
  const { shown = [], excluded = [] } = live.get(operation)?.sent.at(-1) ?? {};
  return shown.filter((item) => !excluded.includes(item));
}

/** The worker that runs a batch of this operation. */
async function workerOf(
  { client, workers }: Pick<Scene, 'client' | 'workers'>,
  operation: string,
): Promise<WorkerVictim | undefined> {
  const { raw } = await client.workflow.getHandle(operation).describe();
  const names = (raw.pendingActivities ?? []).map(({ lastWorkerIdentity }) => lastWorkerIdentity ?? '');
  return workers.find((worker) => names.some((name) => name.startsWith(`${worker.pid()}@`)));
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
      return `worker ${fault.which + 1} suspended for ${fault.ms} ms${when}`;
    case 'server suspended':
      return `${fault.kind} for ${fault.ms} ms${when}`;
    case 'worker killed': {
      const victim = fault.which === 'all' ? 'all workers' : `worker ${fault.which + 1}`;
      return `${victim} killed${when}, then ${fault.fate}`;
    }
    default:
      return `${fault.kind}${when}, then ${fault.fate}`;
  }
}
