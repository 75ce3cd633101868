import { execFileSync } from 'node:child_process';
import fc from 'fast-check';

/**
 * Each commit tries cases of its own, and the same ones each time: what passed on one machine passes on another, and
 * the next commit looks elsewhere. `BATCHGATE_PROPERTY_SEED=random` draws the cases, and a number names them.
 */
function seedOfCommit(): number | undefined {
  const named = process.env['BATCHGATE_PROPERTY_SEED'];
  if (named !== undefined) return named === 'random' ? undefined : Number(named);
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
