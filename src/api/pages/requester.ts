import type { BulkStatus } from '../../contract/operation';
import { requesterLines } from '../../core/bulk/requester';
import { html, prose, type Html } from './html';

/** The requester's words, set apart from ours and from the notes of those who decide; nothing without a reason. */
export const requesterView = (status: BulkStatus): Html =>
  html`${requesterLines(status).map((line) => html`<p class="requester">${prose(line)}</p>`)}`;
