import { readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { brokenImagePromises, missingInBuild, missingInImage, type BuildContext } from '../helpers/image';

const root = resolve(__dirname, '../..');
const read = (path: string) => readFileSync(join(root, path), 'utf8');
const context: BuildContext = { root, dockerfile: read('Dockerfile'), dockerignore: read('.dockerignore') };
const withDockerfile = (change: (text: string) => string) => ({
  ...context,
  dockerfile: change(context.dockerfile),
});
const ignoring = (path: string) => ({
  ...context,
  dockerignore: context.dockerignore.replace(`!${path}\n`, ''),
});

describe('the Dockerfile', () => {
  it('is pinned, copies existing files, and does not run as root', () => {
    expect(brokenImagePromises(context)).toEqual([]);
  });

  it.each<[string, BuildContext, string]>([
    ['as root', withDockerfile((text) => text.replace(/^USER .*$/m, '')), 'it runs as root'],
    [
      'on any Node',
      withDockerfile((text) => text.replace(/^FROM node:\S+/, 'FROM node:latest')),
      'node:latest is not pinned',
    ],
    [
      'with a folder that is gone',
      withDockerfile((text) => text.replace('COPY src src', 'COPY source source')),
      'source is not there',
    ],
    [
      'with what .dockerignore holds back',
      withDockerfile((text) => text.replace('COPY src src', 'COPY test test')),
      'test is not there',
    ],
    [
      'with files in another place',
      withDockerfile((text) => text.replace('COPY assets assets', 'COPY assets pages')),
      'assets is copied to pages',
    ],
  ])('would not pass %s', (_, broken, fault) => {
    expect(brokenImagePromises(broken)).toEqual([fault]);
  });

  it('gives its build every file that the build runs or imports', () => {
    expect(missingInBuild(context)).toEqual([]);
  });

  it.each([
    'scripts/bundle.ts',
    'scripts/outline-verbs.ts',
    'scripts/protobuf-descriptors.ts',
    'tsconfig.json',
    'tsconfig.build.json',
  ])('would not pass without %s', (file) => {
    expect(missingInBuild(withDockerfile((text) => text.replace(` ${file}`, '')))).toEqual([file]);
    expect(missingInBuild(ignoring(file))).toEqual([file]);
  });
});

describe('the image', () => {
  const { files } = JSON.parse(read('package.json')) as { files: string[] };
  /** What the package has for readers, editors and tests. No verb opens it. */
  const FOR_OTHERS = [
    '.env.example',
    'CHANGELOG.md',
    'CONTRIBUTING.md',
    'SECURITY.md',
    'docs',
    'examples',
    'macro.schema.json',
    'test/replay/histories',
  ];
  const used = files.filter((entry) => !entry.startsWith('!') && !FOR_OTHERS.includes(entry));
  /** The pages that MCP serves. */
  const [, adapters = ''] = /WITH_PAGE[^=]*= \[([^\]]+)\]/.exec(read('src/mcp/resources.ts')) ?? [];
  const pages = [...adapters.matchAll(/'(\w+)'/g)].map(([, adapter = '']) => `docs/${adapter}.md`);

  it('contains every part of the package that the program opens', () => {
    expect(used).toEqual(['assets', 'bin/batchgate.cjs', 'dist', 'verifier']);
    expect(pages).toContain('docs/gmail.md');
    const needed = [...used, ...pages, 'package.json', 'node_modules'];
    expect(missingInImage(context, needed)).toEqual([]);
  });

  it.each(['assets', 'docs/gmail.md', 'verifier'])('would not pass without %s', (path) => {
    const without = withDockerfile((text) => text.replace(` ${path}`, ''));
    expect(missingInImage(without, [path])).toEqual([path]);
    expect(missingInImage(ignoring(path), [path])).toEqual([path]);
  });
});
