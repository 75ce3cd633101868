import type { ThreadedVMWorkflowCreator } from '@temporalio/worker/lib/workflow/threaded-vm';

type Creator = ThreadedVMWorkflowCreator;
type Options = Parameters<typeof ThreadedVMWorkflowCreator.create>[0];

/** The workflow threads of workers that have ended, with the options with which they were started. */
const idle: { options: Options; creator: Creator; end: () => Promise<void> }[] = [];
let keepsThreads = false;

/** Keeps idle threads until the end of the suite; `setupFilesAfterEnv` calls it. */
export function keepWorkflowThreads(): void {
  keepsThreads = true;
  afterAll(async () => {
    keepsThreads = false;
    await Promise.all(idle.splice(0).map(({ end }) => end()));
  });
}

/**
 * Lets a worker reuse the workflow thread of one that has ended: a new thread loads and compiles the SDK and the bundle
 * again, which costs 0.8 s of CPU. A reused thread has disposed of all its workflows, like those that leave the cache
 * of a long-running worker.
 */
export function shareWorkflowThreads(creators: Pick<typeof ThreadedVMWorkflowCreator, 'create'>): void {
  const create = creators.create.bind(creators);
  creators.create = async (options) => {
    const at = idle.findIndex((one) => startsAlike(one.options, options));
    const [thread] = at === -1 ? [] : idle.splice(at, 1);
    if (thread) return thread.creator;
    const creator = await create(options);
    const end = creator.destroy.bind(creator);
    creator.destroy = async () => {
      if (!keepsThreads || !isEmpty(creator)) return end();
      idle.push({ options, creator, end });
    };
    return creator;
  };
}

const startsAlike = (one: Options, other: Options): boolean =>
  one.workflowBundle.code === other.workflowBundle.code &&
  [...one.registeredActivityNames].join() === [...other.registeredActivityNames].join() &&
  one.threadPoolSize === other.threadPoolSize &&
  one.isolateExecutionTimeoutMs === other.isolateExecutionTimeoutMs &&
  one.reuseV8Context === other.reuseV8Context &&
  one.patchActivationCallback === other.patchActivationCallback;

const isEmpty = (creator: Creator): boolean =>
  creator['workerThreadClients'].every(
    (thread) =>
      !thread['workerExited'] && thread['exitError'] === undefined && thread.getActiveWorkflowCount() === 0,
  );
