import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { conformanceCases } from '../../src/testing/conformance';

const ROOT = join(__dirname, '../..');
const KIT = 'the kit';

/** The rows of docs/specification.md. */
const rules = [
  ...readFileSync(join(ROOT, 'docs/specification.md'), 'utf8').matchAll(
    /^\| ([A-Z]\d+) +\| .+? +\| (.+?) +\| (.+?) +\|$/gm,
  ),
].map(([, rule = '', file = '', title = '']) => ({ rule, file: file.replaceAll('`', ''), title }));

function isThere({ file, title }: { file: string; title: string }): boolean {
  if (file === KIT) return conformanceCases.some((one) => one.title === title);
  const path = join(ROOT, `test/${file}.test.ts`);
  if (!existsSync(path)) return false;
  const source = readFileSync(path, 'utf8');
  return ["'", '"', '`'].some((quote) => source.includes(`${quote}${title}${quote}`));
}

it('numbers its rules without a gap, in at least seven topics', () => {
  const topics = [...new Set(rules.map(({ rule }) => rule.charAt(0)))];
  expect(topics.length).toBeGreaterThanOrEqual(7);
  expect(rules.map(({ rule }) => rule)).toEqual(
    topics.flatMap((topic) =>
      rules.filter(({ rule }) => rule.startsWith(topic)).map((_, at) => `${topic}${at + 1}`),
    ),
  );
});

it('names for each rule a test that exists', () => {
  expect(rules.filter((rule) => !isThere(rule))).toEqual([]);
});

it('has the rules that the code refers to', () => {
  const sources = ['src', 'workflows', 'activities', 'test'].flatMap((folder) =>
    readdirSync(join(ROOT, folder), { recursive: true, encoding: 'utf8' })
      .filter((name) => name.endsWith('.ts'))
      .map((name) => readFileSync(join(ROOT, folder, name), 'utf8')),
  );
  const named = sources.flatMap((source) =>
    [...source.matchAll(/\bspecification\b[^)\n]*\)/g)].flatMap(
      ([reference]) => reference.match(/\b[A-Z]\d+\b/g) ?? [],
    ),
  );
  expect(named.length).toBeGreaterThan(40);
  expect(named.filter((name) => !rules.some(({ rule }) => rule === name))).toEqual([]);
});
