import { existsSync, readFileSync, statSync } from 'node:fs';
import { basename, dirname, join, normalize } from 'node:path';
import { PINNED } from './compose';

/** The repository as the Dockerfile sees it. */
export interface BuildContext {
  root: string;
  dockerfile: string;
  dockerignore: string;
}

interface Stage {
  base: string;
  name: string;
  /** The files and folders of the build context. */
  sources: { source: string; target: string }[];
  /** What comes from other stages. */
  targets: string[];
  commands: string[];
  user: string;
}

function stagesOf(dockerfile: string): Stage[] {
  const stages: Stage[] = [];
  const lines = dockerfile
    .replace(/\\\n/g, ' ')
    .split('\n')
    .filter((line) => line.trim() !== '' && !line.startsWith('#'));
  for (const line of lines) {
    const [instruction, ...args] = line.split(/\s+/);
    if (instruction === 'FROM') {
      const [base = '', , name = ''] = args;
      stages.push({ base, name, sources: [], targets: [], commands: [], user: 'root' });
    }
    const stage = stages.at(-1);
    if (!stage) continue;
    if (instruction === 'USER') stage.user = args[0] ?? 'root';
    if (instruction === 'RUN') stage.commands.push(args.join(' '));
    if (instruction !== 'COPY') continue;
    const target = args.pop() ?? '';
    if (args[0]?.startsWith('--from=')) stage.targets.push(target);
    else stage.sources.push(...args.map((source) => ({ source, target })));
  }
  return stages;
}

/** The build context contains only what .dockerignore lets through. */
function isSent({ root, dockerignore }: BuildContext, path: string): boolean {
  const sent = dockerignore
    .split('\n')
    .filter((line) => line.startsWith('!'))
    .map((line) => line.slice(1));
  return existsSync(join(root, path)) && sent.some((entry) => within(entry, path));
}

const within = (folder: string, path: string) => `${path}/`.startsWith(`${folder}/`);

/** Checks what the Dockerfile promises, and returns the violations. */
export function brokenImagePromises(context: BuildContext): string[] {
  const broken: string[] = [];
  const stages = stagesOf(context.dockerfile);
  for (const [at, { base, sources }] of stages.entries()) {
    if (!stages.slice(0, at).some(({ name }) => name === base) && !PINNED.test(base))
      broken.push(`${base} is not pinned`);
    for (const { source, target } of sources) {
      if (!isSent(context, source)) broken.push(`${source} is not there`);
      else if (placeOf(context.root, source, target) !== source)
        broken.push(`${source} is copied to ${target}`);
    }
  }
  if (['root', '0'].includes(stages.at(-1)?.user ?? 'root')) broken.push('it runs as root');
  return broken;
}

function placeOf(root: string, source: string, target: string): string {
  const isFolder = statSync(join(root, source)).isDirectory();
  return normalize(target.endsWith('/') && !isFolder ? join(target, basename(source)) : target);
}

const copies = ({ sources, targets }: Stage, path: string) =>
  [...sources.map(({ source }) => source), ...targets].some((entry) => within(entry, path));

/** The files that `npm run` needs in a stage, and that the stage does not get. */
export function missingInBuild(context: BuildContext): string[] {
  return stagesOf(context.dockerfile).flatMap((stage) =>
    filesOf(context.root, stage.commands).filter((file) => !copies(stage, file) || !isSent(context, file)),
  );
}

/** The files of the repository that these commands name, and all that those import or extend. */
function filesOf(root: string, commands: string[]): string[] {
  const { scripts } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as {
    scripts: Record<string, string>;
  };
  const named = commands
    .flatMap((command) => [...command.matchAll(/npm run (?:-s )?(\S+)/g)])
    .flatMap(([, name = '']) => scripts[name]?.match(/[\w./-]+\.(?:[cm]?[jt]s|json)\b/g) ?? []);
  const files = new Set<string>(named);
  for (const file of files) for (const imported of importsOf(root, file)) files.add(imported);
  return [...files];
}

/** Read once, because each case of a test asks for all of them. */
const imports = new Map<string, string[]>();

function importsOf(root: string, file: string): string[] {
  const known = imports.get(file);
  if (known) return known;
  const specifiers = readFileSync(join(root, file), 'utf8').matchAll(IMPORTS);
  const imported = [...specifiers].flatMap(([, specifier = '']) => {
    const path = join(dirname(file), specifier);
    const candidates = [path, path.replace(/\.js$/, '.ts'), `${path}.ts`, join(path, 'index.ts')];
    return candidates.find((candidate) => isFile(join(root, candidate))) ?? [];
  });
  imports.set(file, imported);
  return imported;
}

const IMPORTS = /(?:\bfrom |\bimport |\bimport\(|"extends": )['"](\.[^'"]+)['"]/g;

const isFile = (path: string) => existsSync(path) && statSync(path).isFile();

/** Those of these files and folders that the image that runs does not contain. */
export function missingInImage(context: BuildContext, paths: readonly string[]): string[] {
  const last = stagesOf(context.dockerfile).at(-1);
  const isMade = (path: string) => last?.targets.includes(path) === true;
  return paths.filter((path) => !last || !copies(last, path) || !(isMade(path) || isSent(context, path)));
}
