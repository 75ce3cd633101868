import type { EvalRequest, Expectation } from '../expectation';

const answered = (
  id: string,
  text: string,
  expected: Omit<Extract<Expectation, { outcome: 'answer' }>, 'outcome'> = {},
): EvalRequest => ({
  ...{ id, kind: 'not-bulk', domain: 'none', text, expects: [{ outcome: 'answer', ...expected }] },
});

const unclear = (id: string, domain: EvalRequest['domain'], text: string): EvalRequest => ({
  ...{ id: `unclear-${id}`, kind: 'ambiguous', domain, text, expects: [{ outcome: 'question' }] },
});

/** Requests that need an answer and no operation, and incomplete ones. */
export const conversationRequests: readonly EvalRequest[] = [
  answered('hello', 'Hello! Who are you, and what are you for?'),
  answered('which-operations', 'Which bulk operations are there at the moment?', {
    calls: ['list_bulk_operations'],
  }),
  answered('calendar-actions', 'Change nothing: which actions do you have for calendar events?', {
    says: ['shift', 'move'],
  }),
  answered('arithmetic', 'What is 17 times 23? Just the number.', { says: ['391'] }),
  answered(
    'save-note',
    'Save this in the scratchpad under the key packing-list: "tent, lamp, two ropes". Nothing else.',
    { calls: ['scratchpad_save'] },
  ),
  answered('what-is-saved', 'What have I saved in the scratchpad of this session?', {
    calls: ['scratchpad_list'],
  }),
  answered('which-tasks', 'Which task runs are being tracked?', { calls: ['task_run_list'] }),
  answered('translate', 'How do you say "good morning" in German?', { says: ['guten morgen'] }),
  answered('thanks', 'Thanks for everything, that was it for today.'),
  unclear('newsletters', 'gmail', 'Label my newsletters.'),
  unclear('old-emails', 'gmail', 'Archive the old emails.'),
  unclear('which-label', 'gmail', 'Label all emails from ana.duarte@work.example.'),
  unclear('clean-up', 'gmail', 'Clean up my mailbox.'),
  unclear('them', 'gmail', 'Mark them all as read.'),
  unclear('which-meetings', 'calendar', 'Move the meetings to the other calendar.'),
  unclear('which-events', 'calendar', 'Delete the events, please.'),
  unclear('how-far', 'calendar', 'Shift all stand-ups in the calendar Team.'),
  unclear('which-answer', 'calendar', 'Answer all my invitations.'),
];
