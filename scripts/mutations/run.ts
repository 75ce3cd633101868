import { spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Mutation } from './mutation';

const ROOT = join(__dirname, '../..');
const UNCHANGED = 'unchanged';

/** The verdict on a mutation: each of its tests has failed, or the reason why that is not proven. */
interface Verdict {
  name: string;
  trouble?: string;
}

const testPath = (test: string) => join(ROOT, `test/${test}.test.ts`);

/**
 * Runs the tests of each mutation over a source with that mutation, and all tests over the unchanged source. The
 * mutation is made while a file is compiled for the tests: the working tree does not change, and Jest runs once.
 */
export function runMutations(mutations: readonly Mutation[]): Verdict[] {
  const folder = mkdtempSync(join(tmpdir(), 'batchgate-mutations-'));
  try {
    const outcomes = runJest(mutations, folder);
    const unchanged = outcomes.filter(({ project }) => project === UNCHANGED);
    return mutations.map((mutation) => ({
      name: mutation.name,
      ...troubleOf(mutation, outcomes, unchanged),
    }));
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** The outcome of one test file in one project. */
interface Outcome {
  project: string;
  path: string;
  passed: number;
  failed: string[];
  error?: string;
}

function troubleOf(
  { name, tests }: Mutation,
  outcomes: readonly Outcome[],
  unchanged: readonly Outcome[],
): { trouble?: string } {
  for (const test of tests) {
    const isIts = ({ path }: Outcome) => path === testPath(test);
    const before = unchanged.find(isIts);
    if (!before || before.error !== undefined || before.failed.length > 0)
      return {
        trouble: `${test} does not pass without it: ${before?.error ?? before?.failed.join('; ') ?? 'not run'}`,
      };
    const outcome = outcomes.find((one) => one.project === name && isIts(one));
    if (outcome?.error !== undefined) return { trouble: `${test} cannot be run with it: ${outcome.error}` };
    if (!outcome || outcome.failed.length === 0) return { trouble: `${test} passes with it` };
  }
  return {};
}

interface Project {
  displayName: string | { name: string };
  transform: Record<string, [string, object]>;
  globalSetup?: string;
  globalTeardown?: string;
}

function runJest(mutations: readonly Mutation[], folder: string): Outcome[] {
  const { projects, ...common } = createRequire(__filename)(join(ROOT, 'jest.config.cjs')) as {
    projects: Project[];
  };
  const single = projects.find(({ displayName }) => displayName === 'file');
  if (!single) throw new Error('jest.config.cjs has no project for single files');
  const all = [...new Set(mutations.flatMap(({ tests }) => tests))];
  const output = join(folder, 'outcomes.json');
  const config = {
    ...common,
    rootDir: ROOT,
    projects: [
      projectOf(single, all, { name: UNCHANGED }),
      ...mutations.map((mutation) => projectOf(single, mutation.tests, mutation)),
    ],
    reporters: [[join(__dirname, 'reporter.cjs'), { output }]],
    maxWorkers: 2,
  };
  writeFileSync(join(folder, 'config.json'), JSON.stringify(config));
  const jest = ['run', '-s', 'jest', '--', '--config', join(folder, 'config.json'), '--silent'];
  spawnSync('npm', jest, { cwd: ROOT, stdio: ['ignore', 'inherit', 'inherit'] });
  if (!existsSync(output)) throw new Error('The run of Jest did not end.');
  return JSON.parse(readFileSync(output, 'utf8')) as Outcome[];
}

/** The tests of one mutation as a project of Jest, which compiles the mutated file on its own. */
function projectOf(
  { globalSetup, globalTeardown, ...single }: Project,
  tests: readonly string[],
  { name, file, find, replace, bundled }: Partial<Mutation> & { name: string },
): object {
  const mutation = file !== undefined && { path: join(ROOT, file), find, replace };
  return {
    ...single,
    // One cache of compiled files for all projects.
    id: 'mutations',
    displayName: { name, color: 'white' },
    rootDir: ROOT,
    roots: [join(ROOT, 'test')],
    testMatch: tests.map(testPath),
    transform: Object.fromEntries(
      [...Object.entries(single.transform), ...moduleOf(file)].map(([pattern, [, swc]]) => [
        pattern,
        [join(__dirname, 'transform.cjs'), { swc, ...(mutation && { mutation }) }],
      ]),
    ),
    ...(mutation && {
      testEnvironment: join(__dirname, 'environment.cjs'),
      testEnvironmentOptions: { bundled },
    }),
    ...(tests.some(needsServers) && { globalSetup, globalTeardown }),
  };
}

/** The tests run our ES modules uncompiled, so a module with a mutation is added to the compiled files. */
const moduleOf = (file = ''): [string, [string, object]][] =>
  file.endsWith('.mjs') ? [[`/${file}$`, ['', { jsc: { target: 'es2023' } }]]] : [];

/** True if a test needs the Temporal server or the PostgreSQL server of a run. */
const needsServers = (test: string) =>
  /helpers\/(harness|store|both-stores|http-api|page-stage)'/.test(readFileSync(testPath(test), 'utf8'));
