import { execFileSync } from 'node:child_process';
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { version } from '../package.json';
import { withLockedPrograms } from '../test/helpers/npm-programs';

const root = join(__dirname, '..');
const folder = join(root, 'node_modules/.cache/package');

const run = (command: string, ...args: string[]) =>
  execFileSync(command, args, { cwd: root, stdio: 'inherit' });

/** Packs the package, checks the tarball with publint and Are the Types Wrong, and publishes it in a dry run. */
async function main(): Promise<void> {
  mkdirSync(folder, { recursive: true });
  run('npm', 'pack', '--silent', '--ignore-scripts', '--pack-destination', folder);
  const tarball = join(folder, `batchgate-${version}.tgz`);
  const commands = join(await withLockedPrograms('package'), '.bin');
  run(join(commands, 'publint'), '--strict', tarball);
  run(join(commands, 'attw'), '--profile', 'node16', tarball);
  run('npm', 'publish', '--silent', '--dry-run', tarball);
}

main().catch(() => (process.exitCode = 1));
