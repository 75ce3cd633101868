import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

/** The groups in which the test files run (test/suites). */
const TESTS = join(__dirname, '..');
const testFiles = (folder: string) =>
  readdirSync(join(TESTS, folder), { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.test.ts'))
    .map((name) => `${folder}${name.slice(0, -'.test.ts'.length)}`);
const source = (file: string) => readFileSync(join(TESTS, `${file}.test.ts`), 'utf8');

const suites = testFiles('suites/');
const files = testFiles('').filter((file) => !file.startsWith('suites/'));
const listed = (projects: string[]) =>
  suites
    .filter((suite) => projects.some((project) => suite.startsWith(`suites/${project}/`)))
    .flatMap((suite) => [...source(suite).matchAll(/'([a-z]+\/[^']+)'/g)].map(([, file]) => file ?? ''));

it('contain every test file', () => {
  expect(new Set(listed(['fast', 'main', 'further']))).toEqual(new Set(files));
});

it('contain a file twice only if it has a long form, and that runs in a further suite', () => {
  const [short, further] = [listed(['fast', 'main']), listed(['further'])];
  expect(short.filter((file, at) => short.indexOf(file) !== at)).toEqual([]);
  expect(further.filter((file, at) => further.indexOf(file) !== at)).toEqual([]);
  const both = further.filter((file) => short.includes(file));
  expect(both.filter((file) => !hasLongForm(file))).toEqual([]);
  expect(short.filter((file) => hasLongForm(file) && !further.includes(file))).toEqual([]);
});

/** Directly, through the databases that it runs over, or through the cases of the conformance kit. */
const hasLongForm = (file: string) =>
  /from '(\.\.\/helpers\/(long-run|two-databases|conformance-cases)|\.\/sql-conformance)'/.test(source(file));
