import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

const ROOT = join(__dirname, '../..');

function foldersIn(folder: string): string[] {
  return readdirSync(join(ROOT, folder), { withFileTypes: true })
    .filter((entry) => entry.isDirectory())
    .flatMap(({ name }) => [`${folder}/${name}`, ...foldersIn(`${folder}/${name}`)]);
}

test('every folder of the contract and the core is evaluated once for all workflows', () => {
  const text = readFileSync(join(ROOT, 'workflows/shared/preloaded.ts'), 'utf8');
  const named = [...text.matchAll(/require\.context\('\.\.\/\.\.\/([^']+)', false/g)].map(
    ([, folder]) => folder,
  );
  expect(named.sort()).toEqual(
    ['src/contract', ...foldersIn('src/contract'), ...foldersIn('src/core')].sort(),
  );
});
