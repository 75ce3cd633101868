import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';

/** Repeats the failed tests of the last run, only to report whether they fail again. The run has failed either way. */
const ROOT = join(__dirname, '..');
const MOST = 5;

const failures = JSON.parse(readFileSync(join(ROOT, 'node_modules/.cache/failed-tests.json'), 'utf8')) as {
  project: string;
  suite: string;
  fullName?: string;
}[];

for (const { project, suite, fullName } of failures.slice(0, MOST)) {
  const only = fullName === undefined ? [] : ['-t', `^${fullName.replace(/[\\^$.*+?()[\]{}|]/g, '\\$&')}$`];
  const args = ['run', '-s', 'jest', '--', suite, '--selectProjects', project, ...only];
  const { status } = spawnSync('npm', args, { cwd: ROOT, stdio: ['ignore', 'inherit', 'inherit'] });
  console.log(
    `${status === 0 ? 'PASSES the second time' : 'FAILS again'}: ${suite}: ${fullName ?? 'the whole file'}`,
  );
}
if (failures.length > MOST) console.log(`${failures.length - MOST} more failed tests were not run again.`);
