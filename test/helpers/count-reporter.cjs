/** Prints the one line that says how the run went, as the last thing that is printed. */
module.exports = class CountReporter {
  onRunComplete(_contexts, results) {
    // A file that does not even load has no tests to count, and is a failure all the same.
    const failed = results.numFailedTests + results.numRuntimeErrorTestSuites;
    const skipped = results.numPendingTests + results.numTodoTests;
    const line = `${results.numPassedTests} passed, ${failed} failed${skipped > 0 ? `, ${skipped} skipped` : ''}`;
    // Jest and the teardown go on printing after this hook.
    process.once('exit', () => process.stdout.write(`${line}\n`));
  }
};
