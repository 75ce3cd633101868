// After an installation: builds, and puts `batchgate` where npx looks. npx of npm 11 installs the package into its own
// cache at every new path, and runs this again; what is built by then is not built again.
const { execSync } = require('node:child_process');
const { existsSync, mkdirSync, rmSync, symlinkSync } = require('node:fs');
const { join } = require('node:path');

const root = join(__dirname, '..');
const isBuilt = existsSync(join(root, 'dist/src/cli/client-verbs.bundle.js'));
if (process.env.npm_command !== 'exec' || !isBuilt)
  execSync('npm run -s build', { cwd: root, stdio: 'inherit' });

if (process.platform !== 'win32') {
  const bin = join(root, 'node_modules/.bin');
  mkdirSync(bin, { recursive: true });
  rmSync(join(bin, 'batchgate'), { force: true });
  symlinkSync('../../bin/batchgate.cjs', join(bin, 'batchgate'));
}
