import type { BulkTurn } from '../../../src/contract/operation';

/** The answer to a decision: the batch that ran and its outcome, or the code of the refusal. */
export type Answer = { ran: number; succeeded?: number; failed?: number } | { refused: string };

/** On a busy machine the server stops waiting for a worker. Whether the decision was accepted is then unknown. */
const UNAVAILABLE = 'TEMPORAL_UNAVAILABLE';
export const isLost = (answer: Answer): boolean => 'refused' in answer && answer.refused === UNAVAILABLE;
export const isUnavailable = (error: unknown): boolean => (error as { code?: string }).code === UNAVAILABLE;

export const ranIn = ({ last_batch }: Pick<BulkTurn, 'last_batch'>): Answer =>
  last_batch
    ? { ran: last_batch.number, succeeded: last_batch.succeeded, failed: last_batch.failed }
    : { refused: 'nothing ran' };
