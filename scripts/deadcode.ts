import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { withLockedPrograms } from '../test/helpers/npm-programs';

/** Reports unused code. */
async function main(): Promise<void> {
  const folder = await withLockedPrograms('knip');
  const { status } = spawnSync(join(folder, '.bin/knip'), { cwd: join(__dirname, '..'), stdio: 'inherit' });
  process.exitCode = status ?? 1;
}

void main();
