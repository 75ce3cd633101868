import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

interface PackageJson {
  version: string;
  optionalDependencies?: Readonly<Record<string, string>>;
}

/** The package's own package.json; its folder is one level further up in the build than for the source. */
export function packageJson(): PackageJson {
  const file = ['../..', '../../..']
    .map((up) => join(__dirname, up, 'package.json'))
    .find((path) => existsSync(path));
  if (file === undefined) return { version: 'unknown' };
  return JSON.parse(readFileSync(file, 'utf8')) as PackageJson;
}

export function packageVersion(): string {
  return packageJson().version;
}
