import { Context } from '@temporalio/activity';
import { BatchgateError } from '../../../src/contract/errors';
import type { TransactionActivities } from '../../../src/contract/macro-activities';
import { asActivity } from '../../shared/failures';
import { heartbeating, isGivenUp } from '../../shared/heartbeat';
import type { MacroDependencies } from '../dependencies';
import type { Session } from './session';
import type { Sessions } from './sessions';

/** The transactions of macros over the sessions of this worker. */
export function createTransactionActivities(
  dependencies: Pick<MacroDependencies, 'sessions'>,
): TransactionActivities {
  const made = () => sessionsOf(dependencies);
  return {
    openTransaction: (input) =>
      asActivity(() => heartbeating((signal) => made().open({ ...input, run_id: runId() }, signal))),
    holdTransaction: ({ key }) =>
      asActivity(() => heartbeating((signal) => made().hold(key, signal, () => isGivenUp(signal)))),
    moveSavepoint: ({ key, name, move }) =>
      asActivity(() => heartbeating(() => made().get(key).savepoint(name, move))),
    endTransaction: (input) => asActivity(() => heartbeating(() => made().end(input))),
    resolveTransaction: (input) =>
      asActivity(() => heartbeating((signal) => made().resolve({ ...input, run_id: runId() }, signal))),
  };
}

/** The id of the calling macro run, which is its workflow id. */
const runId = () => Context.current().info.workflowExecution?.workflowId ?? '';

/** The session of a transaction that this worker holds. @throws BatchgateError */
export const sessionOf = (dependencies: Pick<MacroDependencies, 'sessions'>, key: string): Session =>
  sessionsOf(dependencies).get(key);

function sessionsOf({ sessions }: Pick<MacroDependencies, 'sessions'>): Sessions {
  if (sessions) return sessions;
  throw new BatchgateError(
    'NOT_CONFIGURED',
    'This worker has no databases.',
    'Name them under "databases" in batchgate.config.json where the worker runs.',
  );
}
