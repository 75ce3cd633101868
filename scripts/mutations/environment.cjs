const { createRequire } = require('node:module');

// Jest's own, which is not a dependency of ours by itself.
const { TestEnvironment } = createRequire(require.resolve('jest'))('jest-environment-node');

/** Runs no further test of a file after the first one that failed: that one is enough. */
module.exports = class UntilFailure extends TestEnvironment {
  handleTestEvent({ name, test }) {
    if (name === 'test_done' && test.errors.length > 0) this.hasFailed = true;
    if (name === 'test_start' && this.hasFailed) test.mode = 'skip';
  }
};
