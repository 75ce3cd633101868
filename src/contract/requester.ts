import type { BulkOperationInput } from './operation';

/** The words of a requester beside a question, and whose they are. */
export interface Requester extends Pick<BulkOperationInput, 'requested_by' | 'by_agent'> {
  reason: string;
}
