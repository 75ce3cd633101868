import { execFileSync } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

/**
 * Lists the contents of an installation (`npm sbom`, CycloneDX), and fails if a production package has a license that
 * a user might not accept. The list, node_modules/.cache/package/sbom.json, is to be attached to a release.
 */
const root = join(__dirname, '..');
const folder = join(root, 'node_modules/.cache/package');

/** Permissive licenses, which require no more than a notice. */
const ACCEPTED = new Set([
  ...[
    '0BSD',
    'Apache-2.0',
    'BlueOak-1.0.0',
    'BSD-2-Clause',
    'BSD-3-Clause',
    'CC0-1.0',
    'ISC',
    'MIT',
    'MIT-0',
  ],
  ...['PostgreSQL', 'Python-2.0', 'Unlicense', 'Zlib'],
]);

/** Licenses of packages without an SPDX identifier in their manifests, from a person's reading of the license files. */
const READ: Readonly<Record<string, string>> = { 'htmx.org': '0BSD', 'url-template': 'BSD-3-Clause' };

interface Component {
  name: string;
  version: string;
  licenses?: { license?: { id?: string; name?: string }; expression?: string }[];
}

function main(): void {
  const args = ['sbom', '--omit', 'dev', '--package-lock-only', '--sbom-format', 'cyclonedx'];
  const text = execFileSync('npm', args, { cwd: root, encoding: 'utf8', maxBuffer: 64 * 1024 * 1024 });
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, 'sbom.json'), text);
  const { components } = JSON.parse(text) as { components: Component[] };
  const refused = components.filter((component) => !isAccepted(component));
  for (const component of refused)
    console.error(`${component.name}@${component.version}: ${licenseOf(component) || 'no license'}`);
  console.log(`${components.length} packages of production, ${refused.length} with a license to look at`);
  if (refused.length > 0 || components.length === 0) process.exitCode = 1;
}

const licenseOf = ({ name, licenses = [] }: Component): string =>
  licenses.map(({ license, expression }) => license?.id ?? license?.name ?? expression ?? '').join(' AND ') ||
  (READ[name] ?? '');

/** `A OR B` requires one accepted license, `A AND B` requires both. */
const isAccepted = (component: Component): boolean =>
  licenseOf(component)
    .replace(/[()]/g, '')
    .split(' OR ')
    .some((choice) => choice.split(' AND ').every((license) => ACCEPTED.has(license.trim())));

main();
