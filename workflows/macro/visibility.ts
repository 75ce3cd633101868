import { upsertSearchAttributes } from '@temporalio/workflow';
import { shownState } from '../../src/core/macro/view';
import { listState, sessionKey, stateKey } from '../shared/visibility';
import type { MacroSelf } from './run';

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

export const publishState = (self: MacroSelf): void => listState(self, shownState(self.run));
