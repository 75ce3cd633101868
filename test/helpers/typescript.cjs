// Lets a process that a test starts (`node --require`) load TypeScript in half of tsx's time: each file is compiled
// once.
const { createHash } = require('node:crypto');
const { existsSync, mkdirSync, readFileSync, renameSync, writeFileSync } = require('node:fs');
const Module = require('node:module');
const { join } = require('node:path');

const CACHE = join(__dirname, '../../node_modules/.cache/typescript');
const OPTIONS = {
  jsc: { parser: { syntax: 'typescript' }, target: 'es2023' },
  module: { type: 'commonjs', ignoreDynamic: true },
  sourceMaps: 'inline',
};
const salt = JSON.stringify([OPTIONS, require('@swc/core/package.json').version]);

Module._extensions['.ts'] = (module, path) => {
  const source = readFileSync(path, 'utf8');
  const digest = createHash('sha256').update(salt).update(path).update(source).digest('hex');
  const cached = join(CACHE, `${digest}.js`);
  if (!existsSync(cached)) compile(source, path, cached);
  module._compile(readFileSync(cached, 'utf8'), path);
};

function compile(source, filename, cached) {
  const { code } = require('@swc/core').transformSync(source, { ...OPTIONS, filename, swcrc: false });
  mkdirSync(CACHE, { recursive: true });
  // Several processes may compile the same file at once.
  const draft = `${cached}.${process.pid}`;
  writeFileSync(draft, code);
  renameSync(draft, cached);
}
