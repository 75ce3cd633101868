const swc = (module) => [
  '@swc/jest',
  {
    jsc: { parser: { syntax: 'typescript' }, target: 'es2023' },
    module: { type: 'commonjs', ...module },
  },
];

const project = (displayName, testMatch) => ({
  displayName,
  testEnvironment: 'node',
  roots: ['<rootDir>/test'],
  testMatch,
  // The examples name the package as its users do.
  moduleNameMapper: {
    '^batchgate$': '<rootDir>/src/index.ts',
    '^batchgate/testing$': '<rootDir>/src/testing/index.ts',
  },
  transform: {
    // Tests import the examples, which are ES modules, as they stand.
    '/test/.+\\.ts$': swc({ ignoreDynamic: true }),
    '^.+\\.c?[tj]s$': swc(),
  },
  transformIgnorePatterns: [
    '/node_modules/(?!(@noble/(curves|hashes)|@electric-sql|@marcbachmann|openid-client|oauth4webapi|jose)/)',
  ],
});

/** Over real parts; one Temporal server, one PostgreSQL and one bundle are shared by the run (test/helpers/global-setup.ts). */
const withServers = (displayName, testMatch) => ({
  ...project(displayName, testMatch),
  globalSetup: '<rootDir>/test/helpers/global-setup.ts',
  globalTeardown: '<rootDir>/test/helpers/global-teardown.ts',
  setupFilesAfterEnv: ['<rootDir>/test/helpers/suite-set-up.ts'],
});

const suites = (folder) => [`**/test/suites/${folder}/*.test.ts`];

module.exports = {
  projects: [
    project('fast', suites('fast')),
    withServers('main', suites('main')),
    // Files that are in `main` or `fast` too run here in their long form (test/helpers/long-run.ts).
    { ...withServers('further', suites('further')), globals: { batchgateLongRun: true } },
    // Single files, for work on them: the suites run them in groups (test/helpers/describe-files.ts).
    { ...withServers('file', ['**/test/*/*.test.ts']), testPathIgnorePatterns: ['<rootDir>/test/suites/'] },
  ],
  // These hold for all projects.
  reporters: ['default', '<rootDir>/test/helpers/count-reporter.cjs'],
  testSequencer: '<rootDir>/test/helpers/suite-order.cjs',
  // On two cores: tests also wait for servers, for heartbeats that stay away and for deadlines.
  maxWorkers: 4,
  // Each suite loads its modules anew, and leaves something of them behind.
  workerIdleMemoryLimit: '500MB',
  // A process that has nothing left to do takes longer than the usual 500 ms to end on a busy machine: it frees its memory
  // and the threads of the SDK. One that has left something open is still told of.
  workerGracefulExitTimeout: 10_000,
  // For a test that hangs. Beside other load, one of two minutes took six.
  testTimeout: 600000,
};
