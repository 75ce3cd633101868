import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { MUTATIONS } from '../../scripts/mutations/list';
import { occurrences } from '../../scripts/mutations/occurrences';

const isThere = (test: string) => existsSync(join(__dirname, `../${test}.test.ts`));

/** The list of guards that `npm run mutations` takes out. */
it('has at least 60 guards, each with a name of its own, and those of every kind', () => {
  const names = MUTATIONS.map(({ name }) => name);
  expect(names.length).toBeGreaterThanOrEqual(60);
  expect(new Set(names).size).toBe(names.length);
  expect(names).toEqual(
    expect.arrayContaining([
      'seal-caller',
      'agent-form-answer',
      'link-form',
      'address-teredo',
      'message-macro',
    ]),
  );
});

it('has texts that occur exactly once in their files, and that change there', () => {
  const wrong = MUTATIONS.filter((one) => occurrences(one) !== 1 || one.find === one.replace);
  expect(wrong.map(({ name }) => name)).toEqual([]);
});

it('has tests that exist', () => {
  const missing = MUTATIONS.filter(({ tests }) => tests.length === 0 || !tests.every(isThere));
  expect(missing.map(({ name }) => name)).toEqual([]);
});

it('is explained by a page that names tests that exist', () => {
  const page = readFileSync(join(__dirname, '../../docs/security.md'), 'utf8');
  const folders = 'adapters|api|edges|faults|long|mcp|store|unit|workflows';
  const named = [...page.matchAll(new RegExp(`\`((?:${folders})/[\\w.-]+)\``, 'g'))].map(
    ([, test = '']) => test,
  );
  expect(named.length).toBeGreaterThan(80);
  expect(named.filter((test) => !isThere(test))).toEqual([]);
});
