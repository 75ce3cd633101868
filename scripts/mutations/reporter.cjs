const { writeFileSync } = require('node:fs');

/** Prints the outcome of each project's test files as they end, and writes all outcomes into a file. */
module.exports = class OutcomeReporter {
  constructor(_config, { output }) {
    this.output = output;
  }

  onTestResult({ context, path }, { numFailingTests, testExecError }) {
    const outcome = testExecError ? 'cannot run' : numFailingTests > 0 ? 'fails' : 'passes';
    process.stderr.write(`${context.config.displayName?.name}: ${path.split('/test/').at(-1)} ${outcome}\n`);
  }

  onRunComplete(_contexts, { testResults }) {
    const outcomes = testResults.map((one) => ({
      project: one.displayName?.name,
      path: one.testFilePath,
      passed: one.numPassingTests,
      failed: one.testResults.filter(({ status }) => status === 'failed').map(({ fullName }) => fullName),
      ...(one.testExecError && { error: one.failureMessage ?? 'the file could not be run' }),
    }));
    writeFileSync(this.output, JSON.stringify(outcomes));
  }
};
