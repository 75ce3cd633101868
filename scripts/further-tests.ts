import { execFileSync, spawnSync } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';

/**
 * CI's tests beyond `npm test`: first the suites that the change reaches, then the others, both beginning at a position
 * that the commit's hash chooses, until the time budget is spent. Suites that would begin later are left out, and the
 * run lists them. Usage: further-tests [--budget SECONDS]
 */
const ROOT = join(__dirname, '..');
const FURTHER = join(ROOT, 'test/suites/further');
const DEFAULT_BUDGET = '420';

/** The files that every test depends on. */
const SHARED = [
  /^(package|package-lock|tsconfig|jest\.config)\b/,
  /^test\/helpers\/(harness|global-|describe-files|embedded|postgres|store)/,
  /^src\/contract\//,
  /^workflows\/shared\//,
];

/** Stand-ins for files that are used without an import: in a bundle, in the built program, or by being read. */
const STAND_INS: [changed: RegExp, reaches: string][] = [
  [/^(workflows|activities)\//, 'test/helpers/harness.ts'],
  [/^(src|workflows|activities|bin|assets)\//, 'test/helpers/command-line.ts'],
  [/^(docs\/|README|CONTRIBUTING|examples\/)/, 'test/docs/markdown.ts'],
  [/^(src|activities|scripts\/mutations)\//, 'test/long/mutations.test.ts'],
  [/^(scripts\/faults|dev\/)/, 'test/helpers/fault-stage.ts'],
];

const git = (...args: string[]) => execFileSync('git', args, { cwd: ROOT, encoding: 'utf8' }).trim();

/** The files that changed since the parent of the oldest commit of the last day; `undefined` if that is unknown. */
function changedFiles(): string[] | undefined {
  const oldest = git('log', '--since=24 hours ago', '--format=%H').split('\n').at(-1) ?? '';
  if (oldest === '') return [];
  try {
    return git('diff', '--name-only', `${oldest}^`, 'HEAD').split('\n').filter(Boolean);
  } catch {
    // The oldest commit of a shallow clone has no parent here.
    return undefined;
  }
}

/** The test files that import these files, under their names in suites; `undefined` stands for all. */
function reachedBy(changed: string[] | undefined): Set<string> | undefined {
  if (changed === undefined || changed.some((file) => SHARED.some((shared) => shared.test(file))))
    return undefined;
  const standIns = STAND_INS.filter(([pattern]) => changed.some((file) => pattern.test(file)));
  const from = [...changed, ...standIns.map(([, file]) => file)];
  if (from.length === 0) return new Set();
  const listing = ['--selectProjects', 'file', '--listTests', '--json', '--findRelatedTests', ...from];
  const { stdout } = spawnSync('npx', ['jest', ...listing], { cwd: ROOT, encoding: 'utf8' });
  const paths = JSON.parse(stdout) as string[];
  return new Set(paths.map((path) => path.slice(join(ROOT, 'test/').length, -'.test.ts'.length)));
}

/** The suites and their files, from a position that the commit's hash chooses. */
function rotatedSuites(): [suite: string, files: string[]][] {
  const names = readdirSync(FURTHER).sort();
  const start = parseInt(git('rev-parse', 'HEAD').slice(0, 8), 16) % names.length;
  return [...names.slice(start), ...names.slice(0, start)].map((name) => {
    const quoted = readFileSync(join(FURTHER, name), 'utf8').matchAll(/'([a-z]+\/[^']+)'/g);
    return [`further/${name.slice(0, -'.test.ts'.length)}`, [...quoted].map(([, file]) => file ?? '')];
  });
}

function main(): void {
  const { values } = parseArgs({ options: { budget: { type: 'string', default: DEFAULT_BUDGET } } });
  const budget = Number(values.budget);
  const reached = reachedBy(changedFiles());
  const suites = rotatedSuites();
  const isReached = ([, files]: [string, string[]]) => !reached || files.some((file) => reached.has(file));
  const [first, others] = [suites.filter(isReached), suites.filter((suite) => !isReached(suite))];
  const names = (list: [string, string[]][]) => list.map(([name]) => name).join(' ') || 'none';
  console.log(`The change reaches: ${reached ? names(first) : 'all suites'}. Then: ${names(others)}.`);
  console.log(`Suites that would begin more than ${budget} s from now are left out.`);
  const { status } = spawnSync('npm', ['run', '-s', 'jest', '--', '--selectProjects', 'further'], {
    cwd: ROOT,
    stdio: 'inherit',
    env: {
      ...process.env,
      BATCHGATE_TESTS_ORDER: [...first, ...others].map(([name]) => name).join(','),
      BATCHGATE_TESTS_UNTIL: String(Date.now() + budget * 1000),
    },
  });
  process.exit(status ?? 1);
}

main();
