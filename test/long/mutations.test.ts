import { spawnSync } from 'node:child_process';
import { join } from 'node:path';

jest.setTimeout(3_600_000);

/** In CI a part of the list runs, which the commit's hash chooses; otherwise all of it. */
const PARTS = process.env['BATCHGATE_TESTS_UNTIL'] === undefined ? 1 : 12;

it(`takes guards out one at a time, and a test misses each: ${PARTS === 1 ? 'all' : `1 of ${PARTS} parts`}`, () => {
  const script = ['run', '-s', 'mutations', '--', '--parts', String(PARTS)];
  const { stdout, status } = spawnSync('npm', script, { cwd: join(__dirname, '../..'), encoding: 'utf8' });
  const lines = stdout.trim().split('\n');
  expect({ status, lines: status === 0 ? [] : lines }).toEqual({ status: 0, lines: [] });
  expect(lines.at(-1)).toMatch(/^\d+ mutations, 0 not noticed, 0 not found$/);
});
