import type { EvalRequest } from '../expectation';
import { calendarRequests } from './calendar';
import { conversationRequests } from './conversation';
import { gmailRequests } from './gmail';
import { refusedRequests } from './refused';

/** The evaluation set, over the local mailbox and calendars in their initial state. */
export const REQUESTS: readonly EvalRequest[] = [
  ...gmailRequests,
  ...calendarRequests,
  ...conversationRequests,
  ...refusedRequests,
];
