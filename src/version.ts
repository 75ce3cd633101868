import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

/** The package's own version; its folder is one level further up for the build than for the source. */
export function packageVersion(): string {
  const file = ['..', '../..']
    .map((up) => join(__dirname, up, 'package.json'))
    .find((path) => existsSync(path));
  if (file === undefined) return 'unknown';
  return (JSON.parse(readFileSync(file, 'utf8')) as { version: string }).version;
}
