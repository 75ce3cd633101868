import { getExternalWorkflowHandle, upsertSearchAttributes, workflowInfo } from '@temporalio/workflow';
import { defineSearchAttributeKey, SearchAttributeType } from '@temporalio/common';
import { SEARCH_ATTRIBUTES, SIGNALS } from '../../src/contract/messages';
import { sentinelId } from '../../src/contract/sentinel';
import { shownState } from '../../src/core/macro/view';
import { touchSentinel } from '../shared/visibility';
import type { MacroSelf } from './run';

const stateKey = defineSearchAttributeKey(SEARCH_ATTRIBUTES.state, SearchAttributeType.KEYWORD);
const sessionKey = defineSearchAttributeKey(SEARCH_ATTRIBUTES.session, SearchAttributeType.KEYWORD);
const SHOWN_EVERY_MS = 60_000;

/** What lists show from the start. */
export function publishStart(self: MacroSelf): void {
  const { state, session_id } = self.run;
  self.listed = state;
  self.shown_at = Date.now();
  upsertSearchAttributes([
    { key: stateKey, value: state },
    ...(session_id === undefined ? [] : [{ key: sessionKey, value: session_id }]),
  ]);
}

/** Writes the state only if it changed, because each write costs an event. */
export function publishState(self: MacroSelf): void {
  const state = shownState(self.run);
  if (self.listed === state) return;
  self.listed = state;
  upsertSearchAttributes([{ key: stateKey, value: state }]);
}

/** Reports progress to the sentinel, to delay hygiene. Reporting each time would cost more than the steps do. */
export function showProgress(self: MacroSelf): void {
  if (Date.now() - (self.shown_at ?? 0) < SHOWN_EVERY_MS) return;
  self.shown_at = Date.now();
  touchSentinel();
}

/** A slot that is not released is found by the next start that needs one. */
export async function leavePlace(): Promise<void> {
  const { taskQueue, workflowId: job_id, firstExecutionRunId: run_id } = workflowInfo();
  const sentinel = getExternalWorkflowHandle(sentinelId(taskQueue));
  await sentinel.signal(SIGNALS.release, { job_id, run_id }).catch(() => undefined);
}
