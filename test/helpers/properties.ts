import { execFileSync } from 'node:child_process';
import fc from 'fast-check';

/**
 * The seed of the cases, from the commit. Each commit tries its own cases, the same ones on every machine.
 * `BATCHGATE_PROPERTY_SEED` replaces it by a number, or by a random seed if it is `random`.
 */
function seedOfCommit(): number | undefined {
  const setting = process.env['BATCHGATE_PROPERTY_SEED'];
  if (setting !== undefined) return setting === 'random' ? undefined : Number(setting);
  try {
    const head = execFileSync('git', ['rev-parse', 'HEAD'], {
      cwd: __dirname,
      encoding: 'utf8',
      stdio: ['ignore', 'pipe', 'ignore'],
    });
    return parseInt(head.slice(0, 7), 16);
  } catch {
    // A copy without its history.
    return undefined;
  }
}

const seed = seedOfCommit();
fc.configureGlobal({ ...fc.readConfigureGlobal(), ...(seed === undefined ? {} : { seed }) });

export default fc;
