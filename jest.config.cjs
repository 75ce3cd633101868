const swc = (module) => [
  '@swc/jest',
  {
    jsc: { parser: { syntax: 'typescript' }, target: 'es2023' },
    module: { type: 'commonjs', ...module },
  },
];

/** Everything runs against real parts; one Temporal server is shared by the run (test/helpers/global-setup.ts). */
module.exports = {
  testEnvironment: 'node',
  roots: ['<rootDir>/test'],
  testMatch: ['**/*.test.ts'],
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
  transformIgnorePatterns: ['/node_modules/(?!(@noble/hashes|kysely|@electric-sql|@marcbachmann)/)'],
  globalSetup: '<rootDir>/test/helpers/global-setup.ts',
  globalTeardown: '<rootDir>/test/helpers/global-teardown.ts',
  reporters: ['default', '<rootDir>/test/helpers/count-reporter.cjs'],
  maxWorkers: 2,
  testTimeout: 180000,
};
