const { relative } = require('node:path');

const SLOWEST = 15;

/** Prints the slowest files, and as the last line of the run the numbers of passed and failed tests. */
module.exports = class CountReporter {
  onRunComplete(_contexts, results) {
    // A file that fails to load has no tests to count, but is still a failure.
    const failed = results.numFailedTests + results.numRuntimeErrorTestSuites;
    const skipped = results.numPendingTests + results.numTodoTests;
    const count = `${results.numPassedTests} passed, ${failed} failed${skipped > 0 ? `, ${skipped} skipped` : ''}`;
    const lines = results.testResults.length > SLOWEST ? [...slowest(results.testResults), count] : [count];
    // Jest and the teardown continue printing after this hook.
    process.once('exit', () => process.stdout.write(`${lines.join('\n')}\n`));
  }
};

function slowest(files) {
  const seconds = ({ perfStats }) => Math.round(perfStats.runtime / 1000);
  return [...files]
    .sort((a, b) => b.perfStats.runtime - a.perfStats.runtime)
    .slice(0, SLOWEST)
    .map((file) => `${String(seconds(file)).padStart(5)} s  ${relative(process.cwd(), file.testFilePath)}`);
}
