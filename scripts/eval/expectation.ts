export const KINDS = ['bulk', 'not-bulk', 'ambiguous', 'impossible', 'hostile'] as const;
type Kind = (typeof KINDS)[number];

/** Which emails of the local mailbox; never those in spam or trash, which no search finds. */
export interface EmailSelection {
  from?: string;
  /** A part of the subject. */
  subject?: string;
  unread?: boolean;
  /** The name of a label. */
  label?: string;
}

/** Which events of a local calendar, each occurrence of a series by itself. */
export interface EventSelection {
  calendar: string;
  /** A part of the title. */
  title?: string;
  guest?: string;
  /** The days, the last one included. */
  days?: { first: string; last: string };
}

/** One operation that waits for the person, over exactly these items, with exactly this change. */
export interface ExpectedOperation {
  outcome: 'operation';
  domain: 'gmail' | 'calendar';
  action: string;
  /** By name, what the question must show of the change. What is not named is left to the model. */
  change?: Readonly<Record<string, string>>;
  items: { emails: EmailSelection } | { events: EventSelection };
  /** How many that are. */
  total: number;
  batch_size?: number;
  /** Parameters that ask for it. Others are as good when the same items and the same change come of them. */
  params: Readonly<Record<string, unknown>>;
}

/**
 * `question`: the model asks the person back. `answer`: it answers, after these calls where some are named, and its
 * words hold each of `says`, in any case. `refusal`: it starts nothing, whatever it says.
 */
export type Expectation =
  | ExpectedOperation
  | { outcome: 'question' }
  | { outcome: 'answer'; says?: readonly string[]; calls?: readonly string[] }
  | { outcome: 'refusal' };

export interface EvalRequest {
  id: string;
  kind: Kind;
  /** Whose data it is about. */
  domain: 'gmail' | 'calendar' | 'trello' | 'sql' | 'http' | 'none';
  /** What a person types. */
  text: string;
  /** Any of them will do. */
  expects: readonly [Expectation, ...Expectation[]];
}
