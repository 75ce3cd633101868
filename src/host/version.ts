import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

interface PackageJson {
  version: string;
  optionalDependencies?: Readonly<Record<string, string>>;
}

/** The folder of the package, which is one level further up from the build than from the source. */
export function packageFolder(): string | undefined {
  return ['../..', '../../..']
    .map((up) => join(__dirname, up))
    .find((folder) => existsSync(join(folder, 'package.json')));
}

export function packageJson(): PackageJson {
  const folder = packageFolder();
  if (folder === undefined) return { version: 'unknown' };
  return JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8')) as PackageJson;
}

export function packageVersion(): string {
  return packageJson().version;
}
