import { UnexpectedError } from '@temporalio/worker';
import { runRestarting } from '../../src/worker/worker-restarts';
import { createSupervisor } from '../../src/worker/stack-supervisor';

/** A promise, and the function that settles it. */
function later<T>() {
  let settle: (value: T) => void = () => undefined;
  const promise = new Promise<T>((resolve) => (settle = resolve));
  return { promise, settle };
}

function part(ended: Promise<unknown> = new Promise(() => undefined)) {
  const over = later<string>();
  const stop = () => Promise.resolve(over.settle('stopped'));
  return { ended: Promise.race([ended, over.promise]), over: over.promise, stop };
}

it('stops a part that restarts while everything is being stopped', async () => {
  const [starting, next] = [later<void>(), later<ReturnType<typeof part>>()];
  const supervisor = createSupervisor({ say: () => undefined, publish: () => Promise.resolve() });
  supervisor.watch('server', part(Promise.resolve()), () => {
    starting.settle();
    return next.promise;
  });
  await starting.promise;
  const stopped = supervisor.stop();
  const second = part();
  next.settle(second);
  await stopped;
  expect(await Promise.race([second.over, Promise.resolve('runs on')])).toBe('stopped');
});

it('stops a worker that is being replaced while it stops', async () => {
  const silent = { info: () => undefined, error: () => undefined };
  const over = later<void>();
  const [making, made] = [later<void>(), later<void>()];
  const state = (now: 'FAILED' | 'RUNNING') => () => now;
  const dead = {
    run: () => Promise.reject(new UnexpectedError('its thread died')),
    shutdown: () => undefined,
    getState: state('FAILED'),
  };
  const next = { run: () => over.promise, shutdown: () => over.settle(), getState: state('RUNNING') };
  let makes = 0;
  const worker = await runRestarting(async () => {
    if (makes++ === 0) return dead;
    making.settle();
    await made.promise;
    return next;
  }, silent);
  await making.promise;
  const stopped = worker.stop();
  made.settle();
  await stopped;
  await over.promise;
  expect(makes).toBe(2);
});
