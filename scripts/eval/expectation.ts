export const KINDS = ['bulk', 'not-bulk', 'ambiguous', 'impossible', 'hostile'] as const;
type Kind = (typeof KINDS)[number];

/** A filter of emails in the local mailbox, always without spam and trash, which searches omit. */
export interface EmailSelection {
  from?: string;
  /** A part of the subject. */
  subject?: string;
  unread?: boolean;
  /** The name of a label. */
  label?: string;
}

/** A filter of events in a local calendar, with each occurrence of a series counted separately. */
export interface EventSelection {
  calendar: string;
  /** A part of the title. */
  title?: string;
  guest?: string;
  /** The range of days, including the last one. */
  days?: { first: string; last: string };
}

/** One operation that waits for a confirmation, over exactly these items, with exactly this change. */
export interface ExpectedOperation {
  outcome: 'operation';
  domain: 'gmail' | 'calendar';
  action: string;
  /** The fields of the change that the question must show, by name. The model may choose the others. */
  change?: Readonly<Record<string, string>>;
  items: { emails: EmailSelection } | { events: EventSelection };
  /** The number of items. */
  total: number;
  batch_size?: number;
  /** Ideal parameters. Others are equally good if they result in the same items and the same change. */
  params: Readonly<Record<string, unknown>>;
}

/**
 * `question`: the model asks a question. `answer`: it answers, after these calls if some are named, and its text
 * contains each of `says`, in any case. `refusal`: it starts nothing, whatever its text.
 */
export type Expectation =
  | ExpectedOperation
  | { outcome: 'question' }
  | { outcome: 'answer'; says?: readonly string[]; calls?: readonly string[] }
  | { outcome: 'refusal' };

export interface EvalRequest {
  id: string;
  kind: Kind;
  /** The service whose data it concerns. */
  domain: 'gmail' | 'calendar' | 'trello' | 'sql' | 'http' | 'none';
  /** A person's message. */
  text: string;
  /** Any of them is accepted. */
  expects: readonly [Expectation, ...Expectation[]];
}
