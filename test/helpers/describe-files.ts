import { join } from 'node:path';

/** Set in CI, in milliseconds since 1970: suites that begin later are left out (scripts/further-tests.ts). */
const UNTIL = Number(process.env['BATCHGATE_TESTS_UNTIL'] ?? Infinity);

/**
 * Registers the tests of these files (`folder/name` for `test/folder/name.test.ts`), one after another. Jest loads all
 * modules again for each of its own files, which costs two seconds of CPU and 55 MB if Temporal's SDK is among them;
 * the files of a suite share one load.
 */
export function describeFiles(...files: string[]): void {
  const leftOut = Date.now() > UNTIL;
  for (const file of files)
    if (leftOut)
      describe.skip(file, () => it('is left out, because the time budget is spent', () => undefined));
    // eslint-disable-next-line @typescript-eslint/no-require-imports
    else describe(file, () => void require(join(__dirname, '..', `${file}.test`)));
}
