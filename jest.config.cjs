const swc = (module) => [
  '@swc/jest',
  {
    jsc: { parser: { syntax: 'typescript' }, target: 'es2023' },
    module: { type: 'commonjs', ...module },
  },
];

const project = (displayName, folders) => ({
  displayName,
  testEnvironment: 'node',
  roots: ['<rootDir>/test'],
  testMatch: folders.map((folder) => `**/test/${folder}/**/*.test.ts`),
  testPathIgnorePatterns: LEFT_TO_THE_LONG_RUN,
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
const withServers = (displayName, folders) => ({
  ...project(displayName, folders),
  globalSetup: '<rootDir>/test/helpers/global-setup.ts',
  globalTeardown: '<rootDir>/test/helpers/global-teardown.ts',
});

const FAST = ['unit'];
const INTEGRATION = ['store', 'gateway', 'workflows', 'adapters', 'replay'];
const LONG = ['long'];
/** Files of the other projects that go through more of the same in the long run (test/helpers/long-run.ts). */
const LONG_FORMS = [
  ...['docs/docs', 'api/pages', 'api/events', 'edges/completion', 'edges/progress-contracts'],
  ...['faults/kills', 'workflows/sentinel', 'workflows/macro-sql-tools'],
  ...['workflows/macro-transactions', 'workflows/macro-transactions-beside'],
  ...['unit/preview-properties', 'unit/lifecycle.properties', 'unit/payload-bounds.properties'],
  ...['unit/task-run-bounds', 'unit/progress-caps', 'unit/intent.properties'],
];
/** Set where the long run follows: the short form of such a file would prove nothing more (.ci/run). */
const LEFT_TO_THE_LONG_RUN = process.env.LONG_RUN_FOLLOWS
  ? LONG_FORMS.map((file) => `<rootDir>/test/${file}\\.test\\.ts$`)
  : [];

module.exports = {
  projects: [
    project('fast', FAST),
    withServers('integration', INTEGRATION),
    {
      ...withServers('system', ['**']),
      // A new folder belongs here until it is named above.
      testPathIgnorePatterns: [
        ...[...FAST, ...INTEGRATION, ...LONG].map((folder) => `<rootDir>/test/${folder}/`),
        ...LEFT_TO_THE_LONG_RUN,
      ],
    },
    {
      ...withServers('long', LONG),
      testMatch: ['**/test/long/**/*.test.ts', ...LONG_FORMS.map((file) => `**/test/${file}.test.ts`)],
      testPathIgnorePatterns: [],
      globals: { batchgateLongRun: true },
    },
  ],
  // These hold for all projects.
  reporters: ['default', '<rootDir>/test/helpers/count-reporter.cjs'],
  testSequencer: '<rootDir>/test/helpers/longest-first.cjs',
  // On two cores: tests also wait for servers, for heartbeats that stay away and for deadlines. `npm test` waits more than
  // the long run, and has four.
  maxWorkers: 3,
  // Each file loads its modules anew, and leaves something of them behind.
  workerIdleMemoryLimit: '500MB',
  // For a test that hangs. Beside other load, one of two minutes took six.
  testTimeout: 600000,
};
