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
  transformIgnorePatterns: ['/node_modules/(?!(@noble/hashes|@electric-sql|@marcbachmann)/)'],
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
const LONG_FORMS = ['faults/kills', 'faults/macro-fuzz', 'edges/progress-contracts', 'workflows/sentinel'];

module.exports = {
  projects: [
    project('fast', FAST),
    withServers('integration', INTEGRATION),
    {
      ...withServers('system', ['**']),
      // A new folder belongs here until it is named above.
      testPathIgnorePatterns: [...FAST, ...INTEGRATION, ...LONG].map((folder) => `<rootDir>/test/${folder}/`),
    },
    {
      ...withServers('long', LONG),
      testMatch: ['**/test/long/**/*.test.ts', ...LONG_FORMS.map((file) => `**/test/${file}.test.ts`)],
      globals: { batchgateLongRun: true },
    },
  ],
  // These hold for all projects.
  reporters: ['default', '<rootDir>/test/helpers/count-reporter.cjs'],
  // Two cores: tests also wait for servers, for heartbeats that stay away and for deadlines.
  maxWorkers: 3,
  testTimeout: 180000,
};
