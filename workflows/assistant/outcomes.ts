import { CancellationScope, isCancellation, proxyActivities } from '@temporalio/workflow';
import type { AssistantActivities } from '../../src/contract/assistant';
import { isMacroRun } from '../../src/contract/job-ids';
import type { MacroActivities } from '../../src/contract/macro-activities';
import { ownSentence } from '../../src/core/bulk/agent-text';
import { hearOutcome } from '../../src/core/assistant/session';
import { optionsOf, waitOptions } from '../macro/options';
import { fromActivityFailure } from '../shared/failures';
import type { Running } from './running';

type Waits = Pick<MacroActivities, 'awaitOperation'> & Pick<AssistantActivities, 'awaitProposal'>;

/** Expires proposals of an otherwise idle session: an open question about a macro would keep its slot forever. */
export async function expireProposals({ settings, session }: Running): Promise<void> {
  if (!session.watched.every(isMacroRun)) return;
  for (const run_id of session.watched) {
    const options = optionsOf(settings, `expire ${run_id}`);
    // A failure is retried when the session has been idle for the same time again.
    await proxyActivities<AssistantActivities>(options)
      .expireProposal({ run_id })
      .catch(() => undefined);
  }
}

/** During the turns, waits for the end of each operation that the assistant started; its end begins a turn. */
export function watchOperations(running: Running): void {
  for (const operation_id of running.session.watched) {
    if (running.watching.has(operation_id)) continue;
    const scope = new CancellationScope();
    running.watching.set(operation_id, scope);
    void scope
      .run(() => outcomeOf(running, operation_id))
      .then(
        (sentence) => {
          running.session = hearOutcome(running.session, { operation_id, sentence }, Date.now());
        },
        () => undefined,
      )
      .finally(() => running.watching.delete(operation_id));
  }
}

async function outcomeOf({ settings }: Running, operation_id: string): Promise<string> {
  const { awaitOperation, awaitProposal } = proxyActivities<Waits>(waitOptions(settings, operation_id));
  try {
    if (isMacroRun(operation_id)) return await awaitProposal({ run_id: operation_id });
    return ownSentence(await awaitOperation({ operation_id }));
  } catch (error) {
    if (isCancellation(error)) throw error;
    return `its end cannot be read (${fromActivityFailure(error).code}).`;
  }
}
