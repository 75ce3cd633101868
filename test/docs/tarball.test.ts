import { execFileSync } from 'node:child_process';
import { dirname, join, normalize } from 'node:path';
import { linksOf, root } from './markdown';

/** What `npm pack` would put into the package, without making it. */
function packed(): string[] {
  const args = ['pack', '--dry-run', '--json', '--ignore-scripts'];
  const answer = JSON.parse(execFileSync('npm', args, { cwd: root, encoding: 'utf8' })) as unknown;
  const [first] = (Array.isArray(answer) ? answer : Object.values(answer as object)) as {
    files: { path: string }[];
  }[];
  return first!.files.map(({ path }) => path);
}

it('contains every page, picture and example that its pages link', () => {
  const files = packed();
  const pages = files.filter((path) => path === 'README.md' || /^docs\/.*\.md$/.test(path));
  expect(pages.length).toBeGreaterThan(25);
  const missing = pages.flatMap((page) =>
    linksOf(page)
      .filter((link) => !/^[a-z]+:/.test(link))
      .map((link) => link.split('#')[0] ?? '')
      .filter((path) => path !== '')
      .map((path) => normalize(join(dirname(page), path)))
      .filter((target) => !files.some((file) => file === target || file.startsWith(`${target}/`)))
      .map((target) => `${page} links ${target}`),
  );
  expect(missing).toEqual([]);
  for (const part of ['dist/dev', 'src/', 'test/unit'])
    expect(files.filter((file) => file.startsWith(part))).toEqual([]);
});
