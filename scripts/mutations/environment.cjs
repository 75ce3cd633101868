const { mkdtempSync, readFileSync, writeFileSync } = require('node:fs');
const { createRequire } = require('node:module');
const { tmpdir } = require('node:os');
const { join } = require('node:path');

// The package comes with Jest; it is not a direct dependency.
const { TestEnvironment } = createRequire(require.resolve('jest'))('jest-environment-node');

// Without a guard, a test can wait for ever, such as for the answer to a start that should have been refused.
const HANGS_AFTER_MS = 20_000;

/** Skips the other tests of a file after the first failure, and fails a test that hangs: one failure is enough. */
module.exports = class UntilFailure extends TestEnvironment {
  constructor(config, context) {
    super(config, context);
    const { bundled } = config.projectConfig.testEnvironmentOptions;
    if (bundled !== undefined) this.global.process.env.BATCHGATE_TEST_BUNDLE = bundleWithout(bundled);
  }

  handleTestEvent({ name, test }, state) {
    // Jest ignores the limit of a single project.
    if (name === 'test_start') state.testTimeout = HANGS_AFTER_MS;
    if (name === 'test_done' && test.errors.length > 0) this.hasFailed = true;
    if (name === 'test_start' && this.hasFailed) test.mode = 'skip';
  }
};

/** A copy of the run's workflow bundle in which the only match of a pattern is missing. */
function bundleWithout(pattern) {
  const [before, after, ...more] = readFileSync(process.env.BATCHGATE_TEST_BUNDLE, 'utf8').split(
    new RegExp(pattern),
  );
  if (after === undefined || more.length > 0) throw new Error(`the bundle has not one ${pattern}`);
  const path = join(mkdtempSync(join(tmpdir(), 'batchgate-bundle-')), 'workflow-bundle.js');
  writeFileSync(path, before + after);
  return path;
}
