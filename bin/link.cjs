// Puts `batchgate` where npx looks first. Without it npx would install the whole package again at every new path.
const { mkdirSync, rmSync, symlinkSync } = require('node:fs');
const { join } = require('node:path');

const bin = join(__dirname, '../node_modules/.bin');
if (process.platform !== 'win32') {
  mkdirSync(bin, { recursive: true });
  rmSync(join(bin, 'batchgate'), { force: true });
  symlinkSync('../../bin/batchgate.cjs', join(bin, 'batchgate'));
}
