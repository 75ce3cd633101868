import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startBatchgate, type RunningVerb } from './command-line';

export const asked = (done: number) =>
  `Processed 10 items (${done}/50 total). ${50 - done} items remaining. Say 'continue' to process the next batch, or 'cancel' to stop.`;
export const ready =
  "Ready to label 50 emails in batches of 10. Say 'continue' to start, or 'cancel' to abort.";

interface DemoStage {
  dataDir: string;
  env: Record<string, string>;
  demo(...flags: string[]): RunningVerb;
}

/** Runs `npm start` like a new user, in an empty folder for each test. No process of it outlives the test. */
export function useDemoStage(): DemoStage {
  const running = new Set<RunningVerb>();
  const stage: DemoStage = {
    dataDir: '',
    env: {},
    demo(...flags) {
      const started = startBatchgate(['demo', ...flags], stage);
      running.add(started);
      void started.ended.then(() => running.delete(started));
      return started;
    },
  };
  beforeEach(async () => {
    stage.dataDir = await mkdtemp(join(tmpdir(), 'batchgate-demo-'));
    stage.env = {};
  });
  afterEach(async () => {
    if (running.size > 0) {
      for (const demo of running) demo.kill();
      // A demo without input stops the processes that a killed one left behind.
      const last = stage.demo();
      last.endInput();
      await last.ended;
    }
    await rm(stage.dataDir, { recursive: true, force: true });
  });
  return stage;
}
