import type { Runtime } from '../runtime-file';
import { ok, problem, warning, type Finding } from './check';

/** What `up` had to start again. */
export function judgeSupervised(runtime: Runtime | undefined): Finding {
  if (runtime === undefined) return ok('`up` does not run here');
  const parts = runtime.supervised ?? [];
  const why = ({ ended_at = '', reason = '' }) => `${ended_at}, ${reason}`;
  const remedy = 'Read temporal.log and mailbox.log in the data folder, and what `up` printed.';
  const away = parts.filter(({ state }) => state === 'restarting');
  if (away.length > 0) {
    const named = away.map((part) => `the ${part.name} ended and is being started again (${why(part)})`);
    return problem(named.join('; '), remedy);
  }
  const again = parts.filter(({ restarts }) => restarts > 0);
  if (again.length === 0) return ok('nothing had to be started again');
  const named = again.map((part) => `the ${part.name} ${part.restarts} time(s), last after ${why(part)}`);
  return warning(`\`up\` started again: ${named.join('; ')}`, remedy);
}
