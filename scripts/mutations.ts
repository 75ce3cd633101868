import { execFileSync } from 'node:child_process';
import { parseArgs } from 'node:util';
import { MUTATIONS } from './mutations/list';
import { occurrences } from './mutations/occurrences';
import { runMutations } from './mutations/run';

/**
 * Removes guards from the source one at a time, and runs the tests that must notice. It fails with the names of guards
 * that no test misses, and of those whose text is no longer found. Usage: mutations [--only NAME]... [--parts N]
 * `--parts 8`: an eighth of the list, which the commit's hash chooses.
 */
function main(): number {
  const { values } = parseArgs({
    options: { only: { type: 'string', multiple: true }, parts: { type: 'string', default: '1' } },
  });
  const unknown = values.only?.filter((name) => !MUTATIONS.some((one) => one.name === name)) ?? [];
  if (unknown.length > 0) {
    console.error(`There is no mutation ${unknown.join(', ')}. There are: ${names(MUTATIONS)}.`);
    return 2;
  }
  const parts = Number(values.parts);
  const part = parts > 1 ? hashOfCommit() % parts : 0;
  const chosen = MUTATIONS.filter(({ name }, at) => values.only?.includes(name) ?? at % parts === part);
  const stale = chosen.filter((mutation) => occurrences(mutation) !== 1);
  const current = chosen.filter((mutation) => !stale.includes(mutation));
  const verdicts = current.length === 0 ? [] : runMutations(current);
  const alive = verdicts.filter(({ trouble }) => trouble !== undefined);
  for (const { name, file } of stale) console.log(`${name}: its text is not found exactly once in ${file}`);
  for (const { name, trouble } of alive) console.log(`${name}: ${trouble}`);
  console.log(`${chosen.length} mutations, ${alive.length} not noticed, ${stale.length} not found`);
  return alive.length + stale.length === 0 ? 0 : 1;
}

const names = (list: readonly { name: string }[]) => list.map(({ name }) => name).join(', ');

const hashOfCommit = () =>
  parseInt(execFileSync('git', ['rev-parse', 'HEAD'], { cwd: __dirname, encoding: 'utf8' }).slice(0, 8), 16);

process.exit(main());
