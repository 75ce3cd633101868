import type { BulkState, Confirmation, ItemOutcome } from '../../contract/operation';
import type { Door } from '../../contract/record';
import { capitalized, oneLine } from '../../core/shared/plain-text';
import { COMPARISONS } from './comparison-words';

/** The words of the pages for people: tools, parameters, states, decisions, errors and remedies. */

const TOOLS: Readonly<Record<string, string>> = {
  gmail: 'Gmail',
  calendar: 'Google Calendar',
  trello: 'Trello',
  imap: 'Mailbox',
  caldav: 'Calendar',
  sql: 'Database',
  http: 'Web service',
};

export const toolName = (domain: string): string => TOOLS[domain] ?? sentenceCase(oneLine(domain));
export const actionName = (action: string): string => sentenceCase(oneLine(action));

/** A program's name in words: `awaiting_answer` becomes `Awaiting answer`. */
export const sentenceCase = (text: string): string => capitalized(text.replaceAll('_', ' '));

interface ParameterWords {
  label: string;
  hint?: string;
  /** The values in words. The key `''` stands for no value. */
  values?: Readonly<Record<string, string>>;
}

const optional = (meaning: string) => ({ '': `Not set: ${meaning}` });
const FIND = 'Only these are found; leave it empty to find all.';
const NOTIFY = { all: 'All guests', externalOnly: 'Only guests without Google Calendar', none: 'No guests' };
/** The parameters that search for events. */
const EVENTS: Readonly<Record<string, ParameterWords>> = {
  text: { label: 'Words in the event', hint: 'In its title, place, guests or notes.' },
  time_min: { label: 'From', hint: 'Events that end after this time.' },
  time_max: { label: 'Until', hint: 'Events that start before this time.' },
};
const ANSWERS = { accepted: 'Yes', declined: 'No', tentative: 'Maybe' };

/** Words for the parameters of the tools that come with batchgate. Others show their own titles and descriptions. */
const PARAMETERS: Readonly<Record<string, Readonly<Record<string, ParameterWords>>>> = {
  gmail: {
    sender: { label: 'From', hint: 'An address or a name, one on each line.' },
    query: { label: 'Search', hint: 'As in the search box of Gmail. Fill in this or From.' },
    label_name: { label: 'Label' },
    create_label: {
      label: 'Create the label if there is none',
      values: { ...optional('the label must exist'), true: 'Create it', false: 'Do not create it' },
    },
    whole_conversations: {
      label: 'The rest of their conversations',
      values: { ...optional('only these emails'), true: 'Archive it too', false: 'Only these emails' },
    },
  },
  calendar: {
    calendar: { label: 'Calendar', hint: 'Its name. The main one is called primary.' },
    ...EVENTS,
    single_events: {
      label: 'Repeating events',
      hint: 'A repeating event is a series.',
      values: { true: 'Each occurrence by itself', false: 'The whole series as one' },
    },
    send_updates: { label: 'Who is notified', hint: 'Google sends the notices.', values: NOTIFY },
    target_calendar: { label: 'Move them to the calendar' },
    shift_minutes: { label: 'Minutes later', hint: 'With a minus sign: minutes earlier.' },
    response: { label: 'Your answer to the invitation', values: ANSWERS },
    'patch.colorId': { label: 'Colour', hint: 'The number of a colour of Google Calendar, from 1 to 11.' },
    'patch.visibility': { label: 'Visibility' },
    'patch.transparency': {
      label: 'Show the time as',
      values: { opaque: 'Busy', transparent: 'Free' },
    },
    'patch.summary': { label: 'New title' },
    'patch.location': { label: 'New place' },
    'patch.reminders.useDefault': { label: 'The usual reminders of the calendar' },
    'patch.reminders.overrides': { label: 'Other reminders' },
  },
  trello: {
    board: { label: 'Board', hint: 'Its name.' },
    list: { label: 'List', hint: FIND },
    label: { label: 'With the label', hint: FIND },
    text: { label: 'With this text', hint: 'In the name or the description of a card.' },
    target_list: { label: 'Move them to the list' },
    label_name: { label: 'Label', hint: 'Its name, or the colour of a label without one.' },
    due: { label: 'Due' },
    member: { label: 'Member', hint: 'A full name or a user name.' },
  },
  caldav: {
    calendar: { label: 'Calendar', hint: 'Its name.' },
    ...EVENTS,
    single_events: {
      label: 'Repeating events',
      hint: 'A repeating event is a series.',
      values: { true: 'Leave them as they are', false: 'The whole series as one' },
    },
    send_updates: {
      label: 'Who is notified',
      hint: 'By servers that send notices.',
      values: { all: 'All guests', none: 'No guests' },
    },
    target_calendar: { label: 'Move them to the calendar' },
    shift_minutes: { label: 'Minutes', hint: 'Positive is later.' },
    response: { label: 'Answer', values: ANSWERS },
    'patch.summary': { label: 'New title' },
    'patch.location': { label: 'New place' },
    'patch.visibility': { label: 'Visibility' },
    'patch.transparency': {
      label: 'Show the time as',
      values: { opaque: 'Busy', transparent: 'Free' },
    },
    'patch.color': { label: 'Colour', hint: 'A name of CSS, such as tomato.' },
  },
  imap: {
    folder: { label: 'Folder', hint: 'If you leave it empty, the inbox.' },
    sender: { label: 'From', hint: 'An address, or a part of it or of a name.' },
    subject: { label: 'Subject', hint: 'Words in it.' },
    text: { label: 'Words in the email' },
    since: { label: 'Arrived on this day or later' },
    before: { label: 'Arrived before this day' },
    label_name: { label: 'Label' },
    target_folder: { label: 'Folder to move or copy them to' },
  },
  sql: {
    database: { label: 'Database', hint: 'Its name here. Ask the person who runs batchgate.' },
    table: { label: 'Table' },
    where: { label: 'Conditions for the rows', hint: 'All of them must hold.' },
    'where.column': { label: 'Column' },
    'where.op': { label: 'Comparison', values: COMPARISONS },
    'where.value': {
      label: 'Value',
      hint: 'Several values: one on each line. In a pattern, % stands for any characters, and _ for one',
    },
    set: { label: 'New values' },
    'set.name': { label: 'Column' },
    'set.value': { label: 'Its new value' },
  },
};

/** The words for a parameter; undefined if its own title and description are shown. */
export const parameterWords = (domain: string, name: string): ParameterWords | undefined => {
  const ofTool = Object.hasOwn(PARAMETERS, domain) ? PARAMETERS[domain] : undefined;
  return ofTool && Object.hasOwn(ofTool, name) ? ofTool[name] : undefined;
};

export const STATE_WORDS: Record<BulkState, string> = {
  preparing: 'Preparing',
  awaiting_confirmation: 'Waits for you',
  running_batch: 'Running',
  batch_failed: 'Batch failed',
  awaiting_resolution: 'Items in doubt',
  completed: 'Completed',
  cancelled: 'Cancelled',
  expired: 'Expired',
  rejected: 'Refused',
  scheduled: 'Scheduled',
};

export const OUTCOME_WORDS: Record<ItemOutcome, string> = {
  succeeded: 'done',
  failed: 'failed',
  skipped: 'skipped',
  in_doubt: 'in doubt',
  pending: 'not run yet',
};

/** The channel of a decision. */
export const DOOR_WORDS: Record<Confirmation['via'], string> = {
  update: 'through batchgate',
  signal: 'sent by a program',
  temporal: 'from Temporal',
};
/** The place of a person's decision. */
export const PLACE_WORDS: Record<Door, string> = {
  page: 'on a page',
  link: 'by a link',
  http: 'through a program',
  mcp: 'through an agent',
  terminal: 'at a terminal',
};
export const DECISION_WORDS: Record<Confirmation['decision'], string> = {
  continue: 'Continue',
  cancel: 'Cancel',
  complete: 'Complete',
  extend: 'More time',
  resolve: 'Resolve an item',
  revise: 'Send back',
  withdraw: 'Take back',
  edit: 'Edit the change',
  approve: 'Approve',
  leave_out: 'Leave items out',
  hold: 'Hold',
  delegate: 'Delegate',
};
export const DECIDED_WORDS: Record<Confirmation['decision'], string> = {
  continue: 'continued',
  cancel: 'cancelled',
  complete: 'completed it',
  extend: 'gave it more time',
  resolve: 'resolved an item',
  revise: 'sent it back',
  withdraw: 'took the confirmation back',
  edit: 'edited the change',
  approve: 'approved the open batch',
  leave_out: 'left items out of the open batch',
  hold: 'said no, and it is held',
  delegate: 'delegated their approval',
};
