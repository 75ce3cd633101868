import { MockActivityEnvironment } from '@temporalio/testing';
import { readingAgain } from '../../activities/shared/failures';

async function heartbeatsBefore(soon: boolean): Promise<unknown[]> {
  const environment = new MockActivityEnvironment();
  const sent: unknown[] = [];
  environment.on('heartbeat', (details: unknown) => sent.push(details));
  const begun = () => readingAgain({ tries: 3, forMs: 1_000, soon }, () => Promise.resolve([...sent]));
  return environment.run<[], unknown[], () => Promise<unknown[]>>(begun);
}

it('counts a try of a plan before its work, which may end the worker each time', async () => {
  expect(await heartbeatsBefore(true)).toEqual([{ plan_try: 3 }]);
});

it('makes no call for the first try of a plan, which is usually over before a heartbeat is due', async () => {
  expect(await heartbeatsBefore(false)).toEqual([]);
});
