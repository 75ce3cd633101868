const { mkdirSync, writeFileSync } = require('node:fs');
const { dirname, join, relative } = require('node:path');

const SLOWEST = 15;
/** The failed tests of the last run, which scripts/failed-again.ts repeats. */
const FAILED = join(__dirname, '../../node_modules/.cache/failed-tests.json');

/** Prints the slowest files and, as the last line of the run, the numbers of passed and failed tests. */
module.exports = class CountReporter {
  onRunComplete(_contexts, results) {
    // A file that fails to load has no tests to count, but is still a failure.
    const failed = results.numFailedTests + results.numRuntimeErrorTestSuites;
    const skipped = results.numPendingTests + results.numTodoTests;
    const count = `${results.numPassedTests} passed, ${failed} failed${skipped > 0 ? `, ${skipped} skipped` : ''}`;
    mkdirSync(dirname(FAILED), { recursive: true });
    writeFileSync(FAILED, JSON.stringify(results.testResults.flatMap(failuresOf)));
    const slowest = slowestFiles(results.testResults);
    const lines = slowest.length > SLOWEST ? [...slowest.slice(0, SLOWEST), count] : [count];
    const leftOut = leftOutFiles(results.testResults);
    if (leftOut.length > 0)
      lines.unshift(`Left out, because the time budget was spent: ${leftOut.join(', ')}`);
    // Jest and the teardown continue printing after this hook.
    process.once('exit', () => process.stdout.write(`${lines.join('\n')}\n`));
  }
};

function failuresOf({ testFilePath, displayName, testResults, testExecError }) {
  const place = { project: displayName?.name, suite: relative(process.cwd(), testFilePath) };
  if (testExecError) return [place];
  return testResults
    .filter(({ status }) => status === 'failed')
    .map(({ fullName }) => ({ ...place, fullName }));
}

/** The files that describeFiles left out. */
const leftOutFiles = (suites) =>
  suites.flatMap(({ testResults }) =>
    testResults
      .filter(({ title }) => title === 'is left out, because the time budget is spent')
      .map(({ ancestorTitles }) => ancestorTitles[0]),
  );

/** The files sorted by the time of their tests. In a suite, the first title is the name of the file. */
function slowestFiles(suites) {
  const times = new Map();
  for (const { testFilePath, testResults } of suites)
    for (const { ancestorTitles, duration } of testResults) {
      const inSuite = testFilePath.includes('/test/suites/');
      const file = inSuite ? ancestorTitles[0] : relative(process.cwd(), testFilePath);
      times.set(file, (times.get(file) ?? 0) + (duration ?? 0));
    }
  return [...times]
    .sort(([, one], [, other]) => other - one)
    .map(([file, time]) => `${String(Math.round(time / 1000)).padStart(5)} s  ${file}`);
}
