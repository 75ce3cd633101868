import { proxyActivities } from '@temporalio/workflow';
import type { HygieneActivities, HygieneReport } from '../../src/contract/hygiene';
import { decideHygiene, hygieneReport } from '../../src/core/sentinel/hygiene';

const { survey: lookAround } = proxyActivities<Pick<HygieneActivities, 'survey'>>({
  startToCloseTimeout: '1 minute',
  retry: { maximumAttempts: 3 },
  summary: 'Who was here, and what is kept',
});
const { sweep } = proxyActivities<Pick<HygieneActivities, 'sweep'>>({
  startToCloseTimeout: '2 minutes',
  retry: { maximumAttempts: 3 },
  summary: 'A second look, and away with what is idle',
});

/**
 * Drops the scratchpads of idle sessions and stale rows of the ledger, while there is no activity (specification S4
 * and S5). A schedule starts it. It uses only the server's clock, so a worker's clock has no effect.
 */
export async function hygiene(): Promise<HygieneReport> {
  const survey = await lookAround();
  const now = Date.now();
  const decision = decideHygiene(survey, now);
  if (!decision.ran) return hygieneReport(decision);
  const { observed, dropped } = await sweep({ survey, now });
  return hygieneReport(decideHygiene({ ...survey, observed }, now), dropped);
}
