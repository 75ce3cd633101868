import { failuresAfter, restartDelay } from '../../src/worker/stack-supervisor';

it('waits longer before each try, and gives up a part after six that failed', () => {
  const delays = [1, 2, 3, 4, 5, 6].map((failures) => restartDelay(failures) ?? 0);
  expect(delays).toEqual([...delays].sort((a, b) => a - b));
  expect(new Set(delays).size).toBe(6);
  expect(restartDelay(7)).toBeUndefined();
});

it('forgets earlier failures of a part that then ran for a minute, and of no other', () => {
  expect(failuresAfter(4, 60_000)).toBe(1);
  expect(failuresAfter(4, 59_999)).toBe(5);
});
