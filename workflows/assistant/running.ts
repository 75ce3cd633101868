import { setCurrentDetails, upsertSearchAttributes, type CancellationScope } from '@temporalio/workflow';
import type { Settings } from '../../src/contract/settings';
import type { Session } from '../../src/core/assistant/session';
import { sessionKey, showProgress, stateKey } from '../shared/visibility';

/** A running assistant. */
export interface Running {
  session: Session;
  settings: Settings;
  /** Whether the admission was answered: it has its slot, or was refused. */
  admitted: boolean;
  cancelled?: boolean;
  /** The scope of the current move; cancelling it stops the turn. */
  scope?: CancellationScope | undefined;
  /** The scopes of the waits for operations. */
  watching: Map<string, CancellationScope>;
  listed?: string;
  shown_at?: number;
}

/** Updates the search attributes if they changed, and reports activity to the sentinel. */
export function publish(running: Running): void {
  const { session_id, state, turns, watched } = running.session;
  setCurrentDetails(`${turns} turn(s). ${watched.map((id) => `\`${id}\``).join(', ')}`);
  if (running.listed !== state) {
    const first = running.listed === undefined && session_id !== '';
    running.listed = state;
    upsertSearchAttributes([
      { key: stateKey, value: state },
      ...(first ? [{ key: sessionKey, value: session_id }] : []),
    ]);
  }
  if (state === 'working') showProgress(running);
}
