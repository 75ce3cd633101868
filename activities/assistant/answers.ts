import { setTimeout as pause } from 'node:timers/promises';
import { Context } from '@temporalio/activity';
import { sessionOfAssistant } from '../../src/contract/assistant';
import { ASK_TOOL } from '../../src/core/assistant/routing';
import type { ActivityDependencies } from '../shared/dependencies';

/** Whether the turn ends with this text, or with a question. */
export const endsTurn = ({ text, calls }: { text: string; calls: readonly { tool: string }[] }): boolean =>
  calls.length === 0 ? text.trim() !== '' : calls.some(({ tool }) => tool === ASK_TOOL);

const NOTED_MS = 5_000;

/**
 * Notes that the assistant answers, before its answer can be read. A note that cannot be kept in time does not hold up
 * the answer.
 */
export async function beforeAnswer({
  assistant,
  log,
}: Pick<ActivityDependencies, 'assistant' | 'log'>): Promise<void> {
  const { workflowId = '' } = Context.current().info.workflowExecution ?? {};
  const noted = assistant.onAnswer?.(sessionOfAssistant(workflowId)).catch((error: unknown) => {
    log.warn({ assistant: workflowId, error: String(error) }, 'an answer of the assistant was not noted');
  });
  await Promise.race([noted, pause(NOTED_MS, undefined, { ref: false })]);
}
