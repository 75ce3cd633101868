import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { COMMANDS } from '../../src/commands';
import { CONFIRM_MODES } from '../../src/contract/access';
import { HTTP_STATUS } from '../../src/contract/errors';
import { PROFILE_FIELD_NAMES, PROFILE_FIELDS } from '../../src/contract/profile';
import { pages, root, textOf } from './markdown';

/** Compares the names and tables of the pages with the tables of the code. */
const text = pages.map(textOf).join('\n');

interface Verb {
  name: string;
  options: { flags: string }[];
  verbs: Verb[];
}

describe('the verbs', () => {
  const leaves = (
    { name, options, verbs: inner }: Verb,
    group = '',
  ): { name: string; options: string[] }[] =>
    inner.length > 0
      ? inner.flatMap((verb) => leaves(verb, `${group}${name} `))
      : [
          {
            name: `${group}${name}`,
            options: options.flatMap(({ flags }) => /--[a-z-]+/.exec(flags)?.[0] ?? []),
          },
        ];
  // The build writes it.
  const program = JSON.parse(readFileSync(join(root, 'dist/src/cli/verbs.json'), 'utf8')) as Verb;
  const verbs = program.verbs.flatMap((verb) => leaves(verb));

  it('have no option that no page names', () => {
    const unnamed = verbs.flatMap(({ name, options }) =>
      options
        .filter((option) => !new RegExp(`${option}(?![a-z-])`).test(text))
        .map((option) => `${name} ${option}`),
    );
    expect(verbs.length).toBeGreaterThan(50);
    expect(unnamed).toEqual([]);
  });

  it('take --json, except those that the pages except', () => {
    const silent = verbs.filter(({ options }) => !options.includes('--json')).map(({ name }) => name);
    expect(silent).toEqual(['completion']);
    for (const page of ['README.md', 'docs/daily-use.md'])
      expect(textOf(page).replace(/\s+/g, ' ')).toContain('every verb but `completion` takes `--json`');
  });
});

describe('docs/http-api.md', () => {
  const page = textOf('docs/http-api.md');

  it('lists every error code with its status, and no others', () => {
    const [, section = ''] = /^## Errors$(.*?)^## /ms.exec(page) ?? [];
    const rows = [...section.matchAll(/^\| `([A-Z_]+)` +\| (\d+) /gm)];
    expect(Object.fromEntries(rows.map(([, code, status]) => [code, Number(status)]))).toEqual(HTTP_STATUS);
  });

  it('names every decision whose id is the Idempotency-Key', () => {
    const [, sentence = ''] = /On ([^.]*?) it is also the decision id/.exec(page.replace(/\s+/g, ' ')) ?? [];
    const decisions = COMMANDS.filter(({ input, http }) => http && 'decision_id' in input.shape);
    const named = [...sentence.matchAll(/`([a-z-]+)`/g)].map(([, name]) => name);
    expect(named.sort()).toEqual(decisions.map(({ http }) => http?.route.split('/').at(-1)).sort());
  });
});

it('names on docs/tools.md who reads each setting of a profile', () => {
  const rows = textOf('docs/tools.md').split('\n');
  for (const field of PROFILE_FIELD_NAMES) {
    const cells =
      rows.find((line) => line.startsWith('|') && line.includes(`\`${field}\``))?.split('|') ?? [];
    const readers = ['gateway', 'macros', 'assistant', 'hygiene'].filter((name) =>
      new RegExp(`\\b${name}\\b`).test((cells.at(-2) ?? '').split(';')[0] ?? ''),
    );
    expect({ field, readers: readers.sort() }).toEqual({
      field,
      readers: PROFILE_FIELDS[field].used_by.split(', ').sort(),
    });
  }
});

it('names on docs/what-it-refuses-to-be.md every way in which an agent may pass a confirmation on', () => {
  const page = textOf('docs/what-it-refuses-to-be.md');
  const [usual, ...exceptions] = CONFIRM_MODES;
  expect(usual).toBe('link');
  expect(exceptions.filter((mode) => !page.includes(`\`${mode}\``))).toEqual([]);
});

/** The members of the first object type after a line of a source file, one level deep. */
function membersAfter(file: string, line: string): string[] {
  const [, after = ''] = readFileSync(join(root, file), 'utf8').split(line);
  const body = after.split(/^\}/m)[0] ?? '';
  return [...body.matchAll(/^ {2}(?:readonly )?(\w+)\??[:(]/gm)].map(([, name = '']) => name);
}

it('names every option of startWorker on docs/embedding.md', () => {
  const options = membersAfter('src/worker/start-worker.ts', '  ...options\n}: {');
  const [, section = ''] = /^## A whole worker$(.*?)^## /ms.exec(textOf('docs/embedding.md')) ?? [];
  expect(options).toContain('workflowBundle');
  expect(options.filter((name) => !new RegExp(`\\b${name}\\b`).test(section))).toEqual([]);
});

it('names every field of a tool on docs/tools.md, and no others', () => {
  const fields = membersAfter('src/contract/tools.ts', 'export interface ToolDefinition');
  const [, table = ''] = textOf('docs/tools.md').split('## Add your own tool');
  const rows = table.split('\n').filter((line) => line.startsWith('| `'));
  const cells = rows.slice(0, rows.findIndex((row) => row.startsWith('| `handler')) + 1);
  const named = cells.flatMap((row) => [...(row.split('|')[1] ?? '').matchAll(/`(\w+)/g)]);
  expect(named.map(([, name]) => name).sort()).toEqual(fields.sort());
});
