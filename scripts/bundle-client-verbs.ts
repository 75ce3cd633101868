import { createHash } from 'node:crypto';
import { readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { dirname, join, relative } from 'node:path';
import { build, type BuildOptions, type Metafile, type Plugin } from 'esbuild';
import { CLIENT_VERBS } from '../src/cli/client-verbs';
import { prunedDescriptors } from './protobuf-descriptors';

const root = join(__dirname, '..');
const OUT = join(root, 'dist/src/cli/client-verbs.bundle.js');

/**
 * Temporal's client describes every message of every service, most of them for servers and workers. Building these
 * descriptions takes longer than a whole verb, so the bundle contains only those that its own code can reach.
 */
const reachableDescriptors: Plugin = {
  name: 'reachable-descriptors',
  setup(bundler) {
    bundler.onLoad({ filter: /@temporalio\/proto\/protos\/json-module\.js$/ }, async ({ path }) => {
      const json = JSON.stringify(await prunedDescriptors(path, await codeOfClient()));
      // A string is parsed faster than the same data as code.
      const contents = `module.exports = require('protobufjs/light').Root.fromJSON(JSON.parse(${JSON.stringify(json)}));`;
      return { contents, resolveDir: dirname(path) };
    });
  },
};

/** Parts of the SDK's client that no verb uses. They name many messages, which would be kept only for them. */
const UNUSED = /@temporalio\/client\/lib\/(schedule|activity|nexus|async-completion|task-queue)-client\.js$/;

/** All code that names a message or calls a method of a service. */
async function codeOfClient(): Promise<string> {
  const options = { ...shared, write: false, external: ['@temporalio/proto'] };
  const { metafile } = await build({ ...options, metafile: true });
  const files = Object.keys(metafile.inputs).filter(
    (path) => /^dist\/|@temporalio\//.test(path) && !UNUSED.test(path),
  );
  return (await Promise.all(files.map((path) => readFile(join(root, path), 'utf8')))).join('\n');
}

const shared: BuildOptions = {
  absWorkingDir: root,
  entryPoints: ['dist/src/cli/client-main.js'],
  bundle: true,
  platform: 'node',
  target: 'node20',
  // A bundler cannot see the parts of the package's UMD build.
  alias: { 'jsonc-parser': 'jsonc-parser/lib/esm/main.js' },
  // Names stay unchanged: the SDK distinguishes errors by the names of their classes.
  minifySyntax: true,
  minifyWhitespace: true,
  logLevel: 'warning',
};

/** The licences of the bundled packages, each in full. */
async function licences({ inputs }: Metafile): Promise<string> {
  const folders = new Set<string>();
  for (const path of Object.keys(inputs)) {
    const folder = /^(?:.*\/)?node_modules\/(?:@[^/]+\/)?[^/]+/.exec(path)?.[0];
    if (folder !== undefined) folders.add(folder);
  }
  const texts = [...folders].sort().map(async (folder) => {
    const { name, version, license } = JSON.parse(
      await readFile(join(root, folder, 'package.json'), 'utf8'),
    ) as Record<string, string>;
    const file = (await readdir(join(root, folder))).find((entry) => /^licen[cs]e(\.|$)/i.test(entry));
    if (file === undefined) throw new Error(`${folder} has no licence file`);
    const text = await readFile(join(root, folder, file), 'utf8');
    return `${name} ${version} (${license})\n\n${text.trim()}\n`;
  });
  return (await Promise.all(texts)).join(`\n${'-'.repeat(80)}\n\n`);
}

/** Bundles all verbs that only talk to a server into one file, so that Node does not read hundreds. */
export async function bundleClientVerbs(): Promise<void> {
  const { metafile } = await build({
    ...shared,
    plugins: [reachableDescriptors],
    outfile: OUT,
    metafile: true,
  });
  const folder = dirname(OUT);
  for (const name of await readdir(folder)) if (name.endsWith('.cache')) await rm(join(folder, name));
  const hash = createHash('sha256')
    .update(await readFile(OUT))
    .digest('hex')
    .slice(0, 16);
  const verbs = CLIENT_VERBS.flatMap(([names]) => names.split(' '));
  await writeFile(join(folder, 'client-verbs.json'), JSON.stringify({ verbs, hash }));
  await writeFile(join(folder, 'client-verbs.licences.txt'), await licences(metafile));
  const bytes = Object.values(metafile.outputs)[0]?.bytes ?? 0;
  console.log(`${relative(root, OUT)}: ${Math.round(bytes / 1024)} KiB`);
}
