import { execFileSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** Installs a Debian package if its program is missing, as on a new CI machine. Test files take turns. */
export function installed(program: string, debianPackage: string): void {
  if (existsSync(program)) return;
  const install = `apt-get update -qq && apt-get install -y -qq --no-install-recommends ${debianPackage}`;
  const lock = join(tmpdir(), 'batchgate-apt.lock');
  try {
    execFileSync('flock', [lock, 'sh', '-c', `test -e ${program} || { ${install}; }`], { stdio: 'pipe' });
  } catch (error) {
    throw new Error(`${program} is missing and cannot be installed here. Install "${debianPackage}".`, {
      cause: error,
    });
  }
}
