import { condition } from '@temporalio/workflow';
import { isClosed } from '../../src/core/bulk/transitions';
import type { RunningOperation } from './running-operation';
import { activities } from './steps';

/** The maximum number of decisions in one payload. */
const AT_A_TIME = 100;

/**
 * Writes decisions into the audit record soon after they were made. A confirmation is written with the claim of its
 * batch, and the last decisions with the end, so that neither costs anything more.
 */
export async function recordDecisions(operation: RunningOperation): Promise<void> {
  const { unrecorded } = operation;
  const isOver = () => isClosed(operation.state.state);
  const hasSome = () => unrecorded.length > (operation.closing ? AT_A_TIME : 0);
  for (;;) {
    await operation.until(() => isOver() || hasSome());
    if (!hasSome()) return;
    await afterMessages();
    operation.recording = record(operation);
    await operation.recording;
    delete operation.recording;
    operation.changed();
  }
}

/**
 * Waits until the messages of this activation are handled. The answer to a message is then in the history before
 * the activity that records it, also where the SDK reads the end of the last such activity and the message in one
 * activation: it does so on a worker that takes over, and not on a later one.
 */
function afterMessages(): Promise<void> {
  let tests = 0;
  // The first test is made at once, the next one after the messages.
  return condition(() => tests++ > 0);
}

async function record({ state: { operation_id }, unrecorded }: RunningOperation): Promise<void> {
  try {
    await activities({
      startToCloseTimeout: '10s',
      scheduleToCloseTimeout: '1 minute',
      summary: 'Record what was decided',
    }).recordDecisions({ operation_id, decisions: unrecorded.splice(0, AT_A_TIME) });
  } catch {
    // The end writes the latest ones again.
  }
}

/** Whether all decisions are in the audit record. */
export const isRecorded = ({ unrecorded, recording }: RunningOperation): boolean =>
  unrecorded.length === 0 && recording === undefined;
