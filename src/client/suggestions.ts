import { randomUUID } from 'node:crypto';
import type { Client } from '@temporalio/client';
import { parseInput } from '../contract/errors';
import { TASK_QUEUE, WORKFLOW_TYPES } from '../contract/messages';
import { SUGGESTION_MS, suggestionRequestSchema, type SuggestionRequest } from '../contract/suggestions';
import { runOnce } from './calls';

export interface SuggestionOptions {
  task_queue?: string;
  /** How long to wait for the answer, in milliseconds. */
  wait_ms?: number;
}

/**
 * The values that a parameter of a domain can have, read from its tool; empty if its adapter cannot suggest any.
 * @throws BatchgateError `TEMPORAL_UNAVAILABLE` when no worker answers in time.
 */
export async function suggestValues(
  client: Client,
  request: SuggestionRequest,
  { task_queue = TASK_QUEUE, wait_ms = SUGGESTION_MS }: SuggestionOptions = {},
): Promise<string[]> {
  const question = {
    type: WORKFLOW_TYPES.suggestions,
    workflowId: `suggestions-${randomUUID()}`,
    taskQueue: task_queue,
    input: parseInput(suggestionRequestSchema, request, 'The request for suggestions'),
    // Once the caller stops waiting, nothing needs the answer.
    workflowExecutionTimeout: 2 * SUGGESTION_MS,
  };
  return runOnce(client, question, wait_ms);
}
