import { createRequire } from 'node:module';
import { BatchgateError } from '../contract/errors';
import { packageJson } from './version';

const load = createRequire(__filename);

/**
 * Loads a package that an installation may leave out, on first use. `Kept` is the type of its exports.
 * @throws BatchgateError `NOT_CONFIGURED` when it is not installed.
 */
export function optional<Kept>(specifier: string): Kept {
  try {
    return load(specifier) as Kept;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'MODULE_NOT_FOUND') throw error;
    const name = packageOf(specifier);
    const range = packageJson().optionalDependencies?.[name];
    throw new BatchgateError(
      'NOT_CONFIGURED',
      `The package ${name} is not installed.`,
      `Run \`npm install ${name}${range === undefined ? '' : `@"${range}"`}\`; only the feature that you are using needs it.`,
    );
  }
}

/** Whether an installation has a package that it may leave out. */
export function isInstalled(specifier: string): boolean {
  try {
    return load.resolve(specifier) !== '';
  } catch {
    return false;
  }
}

/** The package that a specifier such as `@scope/name/part` names. */
function packageOf(specifier: string): string {
  return specifier
    .split('/')
    .slice(0, specifier.startsWith('@') ? 2 : 1)
    .join('/');
}
