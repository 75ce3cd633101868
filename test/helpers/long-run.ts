const { batchgateLongRun = false } = globalThis as { batchgateLongRun?: boolean };

/** The first value in the further suites, the second in `npm test`. A file that uses it belongs to suites of both. */
export const inLongRun = <T>(long: T, short: T): T => (batchgateLongRun ? long : short);

/** A test of `npm test` only. Every long run comes after `npm test`, and need not repeat it. */
export const itInMain = (title: string, body: () => Promise<void>): void => {
  if (!batchgateLongRun) it(title, body);
};

/** A test of the further suites only. */
export const itInLongRun = (title: string, body: () => Promise<void>): void => {
  if (batchgateLongRun) it(title, body);
};

/** A group of tests of the further suites only. */
export const describeInLongRun = (title: string, body: () => void): void => {
  if (batchgateLongRun) describe(title, body);
};
