const { createRequire } = require('node:module');

// The package comes with Jest; it is not a direct dependency.
const { TestEnvironment } = createRequire(require.resolve('jest'))('jest-environment-node');

/** Skips the other tests of a file after the first failure: one failure is enough. */
module.exports = class UntilFailure extends TestEnvironment {
  handleTestEvent({ name, test }) {
    if (name === 'test_done' && test.errors.length > 0) this.hasFailed = true;
    if (name === 'test_start' && this.hasFailed) test.mode = 'skip';
  }
};
