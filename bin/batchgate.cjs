#!/usr/bin/env node
const { existsSync } = require('node:fs');
const { join } = require('node:path');

const main = join(__dirname, '../dist/src/cli/main.js');
if (!existsSync(main)) {
  console.error('batchgate is not built yet: run `npm ci` (or `npm run build`) in its folder first.');
  process.exit(1);
}
require(main);
