/** The house's rules: data flows down, imports point back to the contract. */
const builtins = require('node:module')
  .builtinModules.filter((name) => !name.startsWith('_'))
  .join('|');

module.exports = {
  forbidden: [
    {
      name: 'contract-imports-zod-only',
      severity: 'error',
      from: { path: '^src/contract/' },
      to: { pathNot: ['^src/contract/', '^node_modules/zod/'] },
    },
    {
      name: 'core-is-pure',
      comment: 'Core decides; it imports the contract, itself, and pure libraries.',
      severity: 'error',
      from: { path: '^src/core/' },
      to: {
        pathNot: [
          '^src/(contract|core)/',
          '^node_modules/(zod|@noble/(curves|hashes)|@marcbachmann/cel-js|jsonc-parser|diff)/',
        ],
      },
    },
    {
      name: 'workflows-stay-deterministic',
      severity: 'error',
      from: { path: '^workflows/' },
      to: {
        pathNot: [
          '^workflows/',
          '^src/(contract|core)/',
          '^node_modules/(@temporalio/(workflow|common)|zod)/',
        ],
      },
    },
    {
      name: 'no-node-builtin-reachable-from-workflows',
      severity: 'error',
      from: { path: '^workflows/' },
      to: { path: `^(node:)?(${builtins})$`, reachable: true },
    },
    {
      name: 'activities-never-import-workflows',
      severity: 'error',
      from: { path: '^activities/' },
      to: { path: '^(workflows|dev|src/(client|cli|worker|host/temporal))/' },
    },
    {
      name: 'only-worker-and-testing-import-activities',
      comment: 'Logging in and checking a login are part of a tool, and live with its adapter.',
      severity: 'error',
      from: {
        path: '^src/',
        pathNot: '^src/((worker|testing|cli/(login|doctor))/|(cli/demo|index|built-in)\\.ts$)',
      },
      to: { path: '^activities/' },
    },
    {
      name: 'logins-and-checks-import-adapters-only',
      severity: 'error',
      from: { path: '^src/(cli/((login|doctor)/|demo\\.ts$)|(index|built-in)\\.ts$)' },
      to: { path: '^activities/', pathNot: '^activities/adapters/' },
    },
    {
      name: 'only-worker-opens-the-store',
      comment: 'The doctor looks at it from outside.',
      severity: 'error',
      from: { path: '^src/', pathNot: '^src/(worker|postgres|testing)/' },
      to: { path: '^src/postgres/store/', pathNot: '^src/postgres/store/inspect\\.ts$' },
    },
    {
      name: 'only-worker-opens-databases',
      comment:
        'An embedded one is for one process. The doctor looks from outside; adapters are handed theirs.',
      severity: 'error',
      from: { path: '^(src|workflows)/', pathNot: '^src/(worker|postgres|testing)/' },
      to: { path: '^src/postgres/databases/', pathNot: '^src/postgres/databases/inspect\\.ts$' },
    },
    {
      name: 'only-postgres-connects',
      severity: 'error',
      from: { path: '^(src|workflows|activities)/', pathNot: '^src/postgres/' },
      to: { path: '^src/postgres/[^/]+$' },
    },
    {
      name: 'edges-go-through-the-client',
      comment:
        'The verbs that run a process (up, demo, worker) or list what it has (adapters, tools) compose it; everything else is a client.',
      severity: 'error',
      from: { path: '^src/cli/', pathNot: '^src/cli/((up|serve|mcp|demo|adapters|tools)\\.ts$|doctor/)' },
      to: { path: '^src/(worker|postgres|host/temporal)/', pathNot: '^src/host/temporal/connection\\.ts$' },
    },
    {
      name: 'commands-go-through-the-client',
      comment: 'They declare what every interface offers, and know none of the interfaces.',
      severity: 'error',
      from: { path: '^src/commands/' },
      to: { pathNot: ['^src/(commands|client|contract|core)/', '^node_modules/(zod|@temporalio/client)/'] },
    },
    {
      name: 'the-http-api-is-an-edge',
      comment: 'It knows commands, client, contract, core and host. The verbs that serve it compose it.',
      severity: 'error',
      from: { path: '^src/api/' },
      to: { path: '^(workflows|activities|src/(worker|postgres|cli|host/temporal))/' },
    },
    {
      name: 'mcp-is-an-edge',
      comment:
        'It knows commands, client, contract, core and host. The HTTP API and the verb that serve it compose it.',
      severity: 'error',
      from: { path: '^src/mcp/' },
      to: { path: '^(workflows|activities|src/(worker|postgres|cli|api|host/temporal))/' },
    },
    {
      name: 'nothing-shipped-imports-development-parts',
      comment: 'It is a development part; the product only starts it as a process, where a clone has it.',
      severity: 'error',
      from: { path: '^(src|activities|workflows)/' },
      to: { path: ['^dev/', '^node_modules/emulate/'] },
    },
    {
      name: 'optional-packages-are-loaded-when-wanted',
      comment: 'An installation may leave them out (src/host/optional.ts).',
      severity: 'error',
      from: { path: '^(src|activities|workflows)/' },
      to: {
        path: '^node_modules/(@ai-sdk|@electric-sql|@googleapis|@modelcontextprotocol|@types/pg|ai|google-auth-library|hucre|pg|standardwebhooks)/',
        dependencyTypesNot: ['type-only'],
      },
    },
    { name: 'no-circular', severity: 'error', from: {}, to: { circular: true } },
  ],
  options: {
    doNotFollow: { path: 'node_modules' },
    tsPreCompilationDeps: true,
    tsConfig: { fileName: 'tsconfig.json' },
    enhancedResolveOptions: { exportsFields: ['exports'], conditionNames: ['require', 'node', 'default'] },
  },
};
