import { checkRun } from './check';
import { ALWAYS } from './hours';
import { runOperation, type World } from './person';
import { planFaults, type FaultKind } from './plan';
import type { Findings, OperationRecord } from './record';
import { startStage, type StageOptions } from './stage';
import { strikeAll } from './strike';

/** Ways to break the run, to show that the check notices. */
export const SPOILERS = ['twice', 'unrecorded', 'unfenced'] as const;
type Spoiler = (typeof SPOILERS)[number];

export interface RunOptions extends Omit<StageOptions, 'everythingTwice' | 'unfenced'> {
  faults: number;
  /** After this time, only faults of kinds that have not occurred yet begin; by default never. */
  seconds?: number;
  seed: number;
  /** The minimum; more run if the faults take longer. */
  operations: number;
  /** Concurrent operations. */
  concurrency: number;
  /** Concurrent faults, each on a different part. */
  strikes: number;
  /** The kinds of faults; by default all. */
  kinds?: readonly FaultKind[];
  spoil?: readonly Spoiler[];
  say: (line: string) => void;
}

export interface Result {
  options: RunOptions;
  findings: Findings;
  faults: Partial<Record<FaultKind, number>>;
  network: string;
  operations: number;
  confirmations: number;
  refused: number;
  touches: number;
  items: number;
  in_doubt: number;
  endedThemselves: number;
  replayed: number;
  /** From a worker's restart to the next answered batch, in milliseconds. */
  recoveries: number[];
  seconds: number;
  /** The folder with the logs, if something was found. */
  folder?: string;
}

export async function runFaults(options: RunOptions): Promise<Result> {
  const { faults: count, seed, say, spoil = [] } = options;
  const begun = Date.now();
  const stage = await startStage({
    ...options,
    everythingTwice: spoil.includes('twice'),
    unfenced: spoil.includes('unfenced'),
  });
  let keep = true;
  try {
    const links = stage.database
      ? (['temporal', 'database', 'target'] as const)
      : (['temporal', 'target'] as const);
    const plan = planFaults(count, seed, links, options.workers, options.kinds);
    let calmSince: number | undefined;
    const answers: number[] = [];
    const world: World = {
      client: stage.client,
      target: stage.target,
      targetPort: stage.targetPort,
      hours: options.hours ?? ALWAYS,
      calm: { client: stage.client, since: () => calmSince },
      answered: () => answers.push(Date.now()),
      live: new Map(),
      unrecorded: spoil.includes('unrecorded') ? 1 : 0,
    };
    const restarts: number[] = [];
    const scene = { ...stage, live: world.live, restarted: () => void restarts.push(Date.now()), say };
    const unrest = strikeAll(scene, plan, options.strikes, options.seconds).finally(
      () => (calmSince = Date.now()),
    );
    const [records, struck] = await Promise.all([
      drive(world, options, () => calmSince !== undefined),
      unrest,
    ]);
    say(`${records.length} operations have ended; checking`);
    const { replayed, unreplayable } = await stage.replay(records.map(({ id }) => id));
    const findings = { ...checkRun(records, stage.target.touches), unreplayable };
    keep = Object.values(findings).flat().length > 0;
    return {
      ...{ options, findings, network: stage.network.by, ...countsOf(records) },
      faults: tally(struck.map(({ kind }) => kind)),
      touches: stage.target.touches.length,
      endedThemselves: stage.workers.reduce((sum, worker) => sum + worker.endedItself(), 0),
      replayed,
      recoveries: restarts.flatMap((at) => {
        const next = answers.find((answer) => answer > at);
        return next === undefined ? [] : [next - at];
      }),
      seconds: Math.round((Date.now() - begun) / 1_000),
      ...(keep && { folder: stage.folder }),
    };
  } finally {
    await stage.close(keep);
  }
}

/** Runs operations concurrently, and starts new ones until there are enough and the last fault is over. */
async function drive(world: World, options: RunOptions, isOver: () => boolean): Promise<OperationRecord[]> {
  const records: OperationRecord[] = [];
  let next = 1;
  const lane = async () => {
    while (next <= options.operations || !isOver()) {
      records.push(await runOperation(world, next++, options.seed));
    }
  };
  await Promise.all(Array.from({ length: options.concurrency }, lane));
  return records;
}

function tally<T extends string>(all: readonly T[]): Partial<Record<T, number>> {
  const counts: Partial<Record<T, number>> = {};
  for (const one of all) counts[one] = (counts[one] ?? 0) + 1;
  return counts;
}

function countsOf(records: readonly OperationRecord[]) {
  const decisions = records.flatMap(({ account }) => account?.confirmations ?? []);
  const accepted = decisions.filter(
    ({ outcome, decision }) => outcome === 'accepted' && decision === 'continue',
  );
  return {
    operations: records.length,
    items: records.reduce((sum, { planned }) => sum + planned.length, 0),
    in_doubt: records.reduce((sum, { doubted }) => sum + doubted.size, 0),
    confirmations: accepted.length,
    refused: decisions.filter(({ outcome }) => outcome !== 'accepted').length,
  };
}
