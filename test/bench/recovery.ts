import { randomUUID } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { cpus, loadavg, tmpdir } from 'node:os';
import { join } from 'node:path';
import { cancelBulkOperation, continueBulkOperation, startBulkOperation } from '../../src/client';
import { BatchgateError } from '../../src/contract/errors';
import type { BulkTurn } from '../../src/contract/operation';
import type { HttpTap, TapRule } from '../../src/testing/http-tap';
import { startBatchgate, type RunningVerb } from '../helpers/command-line';
import { SENDER, startGoogle } from '../helpers/google';
import { median } from './figures';
import { note, type Ground } from './ground';

const ROUNDS = 3;
type Request = Parameters<TapRule>[0];

/** One worker as shipped, with the product's own timeouts, and Gmail behind a tap that can hold requests. */
class Scene {
  private worker: RunningVerb | undefined;
  private operations = 0;
  private last = '';

  constructor(
    readonly ground: Ground,
    readonly front: HttpTap,
    private readonly dataDir: string,
  ) {}

  async startWorker(): Promise<void> {
    const env = {
      TEMPORAL_ADDRESS: this.ground.address,
      BATCHGATE_GMAIL_BASE_URL: this.front.url,
      BATCHGATE_GOOGLE_ACCESS_TOKEN: 'of-the-bench',
    };
    this.worker = startBatchgate(['worker'], { dataDir: this.dataDir, env });
    await this.worker.says('The worker serves');
  }

  /** Restarts the worker after a kill -9. Returns the milliseconds from the restart until `answered` resolves. */
  async killed(answered: () => Promise<unknown>): Promise<number> {
    this.worker?.kill();
    await this.worker?.ended;
    this.front.rule = undefined;
    const restarted = Date.now();
    const starting = this.startWorker();
    await answered();
    const took = Date.now() - restarted;
    await starting;
    return took;
  }

  async close(): Promise<void> {
    this.worker?.kill();
    await this.worker?.ended;
  }

  /** Holds the first wanted request, before or after the tool has carried it out. Resolves once it is held. */
  hold(wanted: (request: Request) => boolean, carriedOut = false): Promise<void> {
    return new Promise((resolve) => {
      let held = false;
      this.front.rule = async (request, forward) => {
        if (held || !wanted(request)) return forward();
        held = true;
        if (carriedOut) await forward();
        resolve();
        return 'silence';
      };
    });
  }

  begin() {
    const label_name = `Recovered ${++this.operations}`;
    const operation_id = `recovery-${this.operations}-${Date.now()}`;
    this.last = operation_id;
    const started = startBulkOperation(
      this.ground.client,
      {
        ...{ domain: 'gmail', action: 'label', batch_size: 5 },
        params: { sender: SENDER, label_name, create_label: true },
      },
      { operation_id },
    );
    return { operation_id, started };
  }

  /** Cancels the last operation. */
  async cancel(): Promise<void> {
    await cancelBulkOperation(this.ground.client, this.last, {});
  }

  /** Repeats the same decision until a worker answers, like a person. */
  async confirm(operation_id: string): Promise<BulkTurn> {
    const decision_id = randomUUID();
    for (;;) {
      try {
        return await continueBulkOperation(this.ground.client, operation_id, { decision_id });
      } catch (error) {
        if (!(error instanceof BatchgateError) || error.code !== 'TEMPORAL_UNAVAILABLE') throw error;
      }
    }
  }
}

const changes = ({ path }: Request) => path.endsWith('/modify');
const searches = ({ query }: Request) => query.has('q');

/** What a worker does when it is killed, with a run that returns the milliseconds from its restart to the answer. */
const PHASES: Record<string, (scene: Scene) => Promise<number[]>> = {
  'waiting at a question': async (scene) => {
    const { operation_id, started } = scene.begin();
    await started;
    return [await scene.killed(() => scene.confirm(operation_id))];
  },
  'counting the items': async (scene) => {
    const held = scene.hold(searches);
    const { started } = scene.begin();
    await held;
    return [await scene.killed(() => started)];
  },
  'amid a batch, its request carried out': async (scene) => {
    const { operation_id, started } = scene.begin();
    await started;
    const held = scene.hold(changes, true);
    const turn = scene.confirm(operation_id);
    await held;
    return [await scene.killed(() => turn)];
  },
  'amid a batch, its request lost': async (scene) => {
    const { operation_id, started } = scene.begin();
    await started;
    const held = scene.hold(changes);
    const turn = scene.confirm(operation_id);
    await held;
    const restarted = Date.now();
    const answered = await scene.killed(() => turn);
    await scene.confirm(operation_id);
    return [answered, Date.now() - restarted];
  },
};

/** Measures how soon operations answer after the restart of a worker that was killed with kill -9. */
export async function recoveryBench(ground: Ground): Promise<void> {
  const google = await startGoogle();
  const dataDir = await mkdtemp(join(tmpdir(), 'batchgate-recovery-'));
  const scene = new Scene(ground, google.front, dataDir);
  const answers = new Map<string, number[]>();
  const rest: number[] = [];
  try {
    await scene.startWorker();
    for (let round = 1; round <= ROUNDS; round++) {
      note(`recovery, round ${round} of ${ROUNDS}`);
      for (const [phase, run] of Object.entries(PHASES)) {
        const [answered = Number.NaN, confirmed] = await run(scene);
        answers.set(phase, [...(answers.get(phase) ?? []), answered]);
        if (confirmed !== undefined) rest.push(confirmed);
        await scene.cancel();
      }
    }
  } finally {
    await scene.close();
    await google.close();
    await rm(dataDir, { recursive: true, force: true });
  }
  print(answers, rest);
  console.log(`\n${cpus().length} cores, load ${loadavg()[0]?.toFixed(1) ?? '?'} at the end.`);
}

function print(answers: ReadonlyMap<string, number[]>, rest: readonly number[]): void {
  const row = (what: string, times: readonly number[]) =>
    `| ${what} | ${times.length} | ${seconds(median(times))} | ${seconds(Math.max(...times))} |`;
  console.log('\nFrom the restart of a worker that was killed to the answer of its operation.\n');
  console.log('| when it was killed | kills | median | slowest |');
  console.log('| --- | ---: | ---: | ---: |');
  for (const [phase, times] of answers) console.log(row(phase, times));
  console.log(row('**all**', [...answers.values()].flat()));
  console.log(row('a lost request: until the rest, confirmed at once, was done', rest));
}

const seconds = (ms: number) => `${(ms / 1_000).toFixed(1)} s`;
