import type { Config } from '../config';
import { describeGoogleCredentials } from '../credentials';
import { findRunning } from '../mailbox/address';
import { ok, problem, warning, type Finding } from './check';

export async function probeGmail(config: Config): Promise<Finding> {
  const { ok: usable, detail, remedy = 'Read docs/gmail.md.' } = await describeGoogleCredentials(config);
  return usable ? ok(detail) : problem(detail, remedy);
}

export async function probeMailbox(config: Config, upRuns: boolean): Promise<Finding> {
  const { source } = await describeGoogleCredentials(config);
  if (source !== 'none' || config.gmailBaseUrl !== undefined) return ok('not needed: Gmail is configured');
  const running = await findRunning(config.dataDir);
  if (running !== undefined) return ok(`${running.url} (process ${running.pid})`);
  if (!upRuns) return ok('starts with `up`');
  return warning('`up` runs, and its mailbox does not answer', 'Stop `npx batchgate up` and start it again.');
}
