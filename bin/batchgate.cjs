#!/usr/bin/env node
const { existsSync, readFileSync, renameSync, writeFileSync } = require('node:fs');
const { createRequire, wrap } = require('node:module');
const { dirname, join } = require('node:path');
const { cachedDataVersionTag } = require('node:v8');
const { constants, Script } = require('node:vm');

const commands = join(__dirname, '../dist/src/cli');
const bundle = join(commands, 'client-verbs.bundle.js');
const args = process.argv.slice(2);

/**
 * The bundle of the verbs that a person waits for. What V8 compiled in one run is kept beside it for the next, where
 * this folder can be written: no other folder is as safe as that of the code itself. V8 refuses what it did not make.
 */
function load(hash) {
  // V8 itself compares no more than the length of the code.
  const kept = join(commands, `client-verbs.${hash}.${cachedDataVersionTag()}.cache`);
  let cachedData;
  try {
    cachedData = readFileSync(kept);
  } catch {
    // The first run.
  }
  // It is ASCII, which reads fastest so.
  const script = new Script(wrap(readFileSync(bundle, 'latin1')), {
    filename: bundle,
    cachedData,
    importModuleDynamically: constants.USE_MAIN_CONTEXT_DEFAULT_LOADER,
  });
  const module = { exports: {} };
  const define = script.runInThisContext();
  define.call(module.exports, module.exports, createRequire(bundle), module, bundle, dirname(bundle));
  if (cachedData === undefined || script.cachedDataRejected) process.once('exit', () => keep(kept, script));
  return module.exports;
}

function keep(path, script) {
  // Help, a completion and a run that failed compile little of what the others need.
  if (process.exitCode || args.includes('--help') || args.includes('-h')) return;
  if (args[0] === 'completion' || args[0] === 'complete-words') return;
  try {
    const written = `${path}.${process.pid}`;
    writeFileSync(written, script.createCachedData());
    renameSync(written, path);
  } catch {
    // The folder is not ours to write.
  }
}

if (!existsSync(bundle)) {
  console.error('batchgate is not built yet: run `npm ci` (or `npm run build`) in its folder first.');
  process.exit(1);
}
const { verbs, hash } = JSON.parse(readFileSync(join(commands, 'client-verbs.json'), 'utf8'));
if (verbs.includes(args[0])) load(hash).main(args);
else require(join(commands, 'main.js'));
