import type { CompletionGuardResult } from '../../src/contract/progress';
import type { Path, Scene } from './stage';

const GOAL = 'Visit three pages and collect their titles';
const URLS = ['https://one.example', 'https://two.example', 'https://three.example'];
const [ONE = '', TWO = '', THREE = ''] = URLS;

async function complete({ update }: Scene, allowed: boolean, request: object = {}): Promise<void> {
  const guard = await update<CompletionGuardResult>('complete', request);
  if (guard.allowed !== allowed) throw new Error(`the guard said ${guard.allowed}: ${guard.reason}`);
}

/** Paths of one run each. */
export const TASK_RUNS: Record<string, Path> = {
  'task-run-completed-under-a-contract': async (scene) => {
    const { begin, update, handle } = scene;
    await begin('taskRun', { goal: GOAL, contract: { expected_items: URLS, item_key: 'url' } });
    await update('record', { completed: [ONE], cursor: '1' });
    await update('record', { failed: [{ item: TWO, reason: 'timeout', retryable: true }], cursor: '2' });
    await update('record', { completed: [ONE, TWO] });
    await update('record', { skipped: [{ item: THREE, reason: 'not ours' }], cursor: '3' });
    await complete(scene, true);
    await handle.result();
  },
  'task-run-blocked-then-forced': async (scene) => {
    const { begin, update, handle } = scene;
    await begin('taskRun', { goal: GOAL, contract: { expected_total: 3 } });
    await update('record', { completed: [ONE] });
    await complete(scene, false);
    await update('record', { completed: [TWO], failed: [{ item: THREE, reason: 'gone' }] });
    await complete(scene, false, { by: 'ana' });
    await complete(scene, true, { force: true, reason: 'two are enough', by: 'ana' });
    await handle.result();
  },
  'task-run-until-its-stop-condition': async (scene) => {
    const { begin, update, handle } = scene;
    await begin('taskRun', { goal: GOAL, contract: { stop_condition: 'no next page', min_completed: 1 } });
    await update('record', { completed: [ONE], cursor: 'page 2' });
    await complete(scene, false);
    await update('record', { stop_condition_satisfied: true });
    await complete(scene, true);
    await handle.result();
  },
  'task-run-without-a-contract': async (scene) => {
    await scene.begin('taskRun', { goal: GOAL });
    await scene.update('record', { completed: [ONE] });
    await complete(scene, true);
    await scene.handle.result();
  },
  'task-run-cancelled-by-temporal': async ({ begin, update, handle }) => {
    await begin('taskRun', { goal: GOAL, contract: { expected_total: 3 } });
    await update('record', { completed: [ONE] });
    await handle.cancel();
    await handle.result();
  },
  'task-run-rejected-input': async ({ begin, handle }) => {
    await begin('taskRun', { contract: { expected_total: -1 } });
    await handle.result();
  },
  'task-run-of-a-session': async (scene) => {
    const { id, begin, update, handle } = scene;
    await begin('taskRun', { goal: GOAL, session_id: id, contract: { expected_total: 1 } });
    await update('ready');
    await update('record', { completed: [ONE] });
    await complete(scene, true);
    await handle.result();
  },
  'task-run-rejected-for-a-busy-session': async ({ harness, id, begin, update, handle }) => {
    const input = { goal: GOAL, session_id: id };
    const { taskQueue, client } = harness;
    const first = { workflowId: `${id}-first`, taskQueue, args: [input] };
    const holder = await client.workflow.start('taskRun', first);
    await holder.executeUpdate('ready');
    await begin('taskRun', input);
    await update('ready');
    await handle.result();
    await holder.executeUpdate('complete');
  },
  'task-run-still-open': async ({ harness, begin, update }) => {
    await begin('taskRun', { goal: GOAL, contract: { expected_total: 3 } });
    await update('record', { completed: [ONE] });
    await harness.restartWorker();
    await update('record', { completed: [TWO] });
  },
};

/** Paths of several runs, on a server that suggests continue-as-new early. */
export const CHAINED_TASK_RUNS: Record<string, Path> = {
  'task-run-continued-as-new': async (scene) => {
    const { begin, update, handle } = scene;
    const pages = Array.from({ length: 10 }, (_, at) => `page-${at + 1}`);
    await begin('taskRun', { goal: GOAL, contract: { expected_items: pages, failed_policy: 'allow' } });
    for (const [at, page] of pages.entries()) {
      const failed = at % 4 === 3 ? [{ item: page, reason: 'timeout' }] : undefined;
      await update('record', { ...(failed ? { failed } : { completed: [page] }), cursor: String(at + 1) });
    }
    await complete(scene, true);
    await handle.result();
  },
};
