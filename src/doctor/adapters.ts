import type { Config } from '../config';
import { describeGoogleCredentials, isLocal } from '../credentials';
import type { GoogleService } from '../credentials';
import { hasLocalGoogle, mailboxRecord } from '../local-google/record';
import { ok, problem, warning, type Finding } from './check';

export async function probeGoogle(config: Config, service: GoogleService): Promise<Finding> {
  const found = await describeGoogleCredentials(config, service);
  const { detail, remedy = `Read docs/${service}.md.` } = found;
  if (found.ok) return ok(detail);
  // Whoever uses one of Google's services need not want the others.
  return found.elsewhere ? warning(`not allowed: ${detail}`, remedy) : problem(detail, remedy);
}

export async function probeMailbox(config: Config, upRuns: boolean): Promise<Finding> {
  const local = await Promise.all([isLocal(config, 'gmail'), isLocal(config, 'calendar')]);
  if (!local.includes(true))
    return ok(hasLocalGoogle() ? 'not needed: Google is configured' : 'not part of an installed package');
  const running = await mailboxRecord(config.dataDir).read();
  if (running !== undefined) return ok(`${running.url} (process ${running.pid})`);
  if (!upRuns) return ok('starts with `up`');
  return warning(
    '`up` runs, and its mailbox does not',
    'Read mailbox.log in the data folder; `up` starts it again.',
  );
}
