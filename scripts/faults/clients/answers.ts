import type { BulkTurn } from '../../../src/contract/operation';

/** What a sender learned about a decision: the batch that ran and its outcome, or the code of the refusal. */
export type Answer = { ran: number; succeeded?: number; failed?: number } | { refused: string };

/** On a busy machine the server gives up the wait for a worker. The decision may have been taken: nothing was learnt. */
const UNAVAILABLE = 'TEMPORAL_UNAVAILABLE';
export const isLost = (told: Answer): boolean => 'refused' in told && told.refused === UNAVAILABLE;
export const isUnavailable = (error: unknown): boolean => (error as { code?: string }).code === UNAVAILABLE;

export const ranIn = ({ last_batch }: Pick<BulkTurn, 'last_batch'>): Answer =>
  last_batch
    ? { ran: last_batch.number, succeeded: last_batch.succeeded, failed: last_batch.failed }
    : { refused: 'nothing ran' };
