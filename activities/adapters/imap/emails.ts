import type { FetchMessageObject } from 'imapflow';
import { z } from 'zod';
import { shortened } from '../../../src/contract/text';
import type { Prepared } from '../kit/types';
import { emailName } from '../shared/names';
import { decoded } from '../shared/parsed';

const folder = z.object({ id: z.string().min(1), name: z.string().min(1) });
export const searchSchema = z.object({
  folder,
  sender: z.string().optional(),
  subject: z.string().optional(),
  text: z.string().optional(),
  since: z.string().optional(),
  before: z.string().optional(),
});
export type EmailSearch = z.output<typeof searchSchema>;

/** The flag or keyword of a change, or its folder. `delete` has neither. */
export const changeSchema = z.object({ flag: z.string().min(1).optional(), folder: folder.optional() });
export type EmailChange = z.output<typeof changeSchema>;
export type PreparedEmails = Prepared<EmailSearch, EmailChange>;

/** Identifies an email after a move, which gives it another UID. */
const identity = z.strictObject({
  /** The server's own id, if it supports one (RFC 8474). */
  email_id: z.string().optional(),
  message_id: z.string().optional(),
  received: z.string(),
  size: z.number(),
  /** For each folder, `UIDVALIDITY/UIDNEXT` at the time of the plan. Emails that arrive later have no lower UID. */
  next: z.record(z.string(), z.string()).optional(),
});
export type Identity = z.output<typeof identity>;

/** The state of an email, as far as a change concerns it. */
export const emailState = z.strictObject({
  /** Whether the email has the flag of the change, or a copy in its folder. */
  has: z.boolean().optional(),
  folder: z.string().optional(),
  /** For a permanent deletion: the marks of the email. An email that is flagged after the plan is not deleted. */
  marks: z.array(z.string()).optional(),
  identity: identity.optional(),
});
export type EmailState = z.output<typeof emailState>;

/** The place of an email. A recreated folder has another UIDVALIDITY, and none of the earlier emails. */
export interface Place {
  readonly folder: string;
  readonly validity: bigint;
  readonly uid: number;
}

/** Keeps letters of every language. Encodes characters that a list of ids, a file or a normalisation could change. */
export const idOf = ({ folder: path, validity, uid }: Place): string =>
  `${path.replace(/[%/,;"'\\\p{Cc}\p{Cf}\p{M}\p{Z}]/gu, encodeURIComponent)}/${validity}/${uid}`;

export function placeIn(id: unknown): Place | undefined {
  const [, path = '', validity = '', uid = ''] = /^([^/]+)\/(\d{1,20})\/(\d{1,10})$/.exec(String(id)) ?? [];
  const decodedPath = decoded(path);
  if (!decodedPath) return undefined;
  const folder = /^inbox$/i.test(decodedPath) ? 'INBOX' : decodedPath;
  return { folder, validity: BigInt(validity), uid: Number(uid) };
}

/** Compares folders without case, as some servers do. */
export const isSamePlace = (left: Place, right: Place): boolean =>
  left.folder.toLowerCase() === right.folder.toLowerCase() &&
  left.validity === right.validity &&
  left.uid === right.uid;

export const MAIL = { uid: true, flags: true, envelope: true, internalDate: true, size: true } as const;
/** An email as the server returned it, and its place. */
export interface Mail {
  readonly place: Place;
  readonly shown: FetchMessageObject;
}

/** A longer message id does not fit into a plan. */
const MAX_MESSAGE_ID = 300;

export function identityOf({ shown }: Mail): Identity {
  const { emailId, envelope, internalDate = '', size = 0 } = shown;
  const message_id = envelope?.messageId;
  return {
    ...(emailId !== undefined && { email_id: emailId }),
    ...(message_id && message_id.length <= MAX_MESSAGE_ID && { message_id }),
    ...{ received: new Date(internalDate).toISOString(), size },
  };
}

export const hasFlag = (flags: Set<string> | undefined, flag: string): boolean =>
  [...(flags ?? [])].some((present) => present.toLowerCase() === flag.toLowerCase());

/**
 * Returns the flags except those for read, recent and deleted, which do not show that a user wants to keep the email.
 */
export const marksOf = ({ flags }: FetchMessageObject): string[] =>
  [...(flags ?? [])].filter((flag) => !/^\\(seen|recent|deleted)$/i.test(flag)).sort();

const MAX_SENDER = 100;

export function nameOf({ shown: { envelope, internalDate } }: Mail): string {
  const { name = '', address = '' } = envelope?.from?.[0] ?? {};
  const sender = name === '' ? address : `${name} <${address}>`;
  return emailName(envelope?.subject, shortened(sender, MAX_SENDER), new Date(internalDate ?? NaN));
}

const MARKS = new Map([
  ['\\Seen', 'read'],
  ['\\Flagged', 'flagged'],
]);

/** Returns the state as words for display. */
export function showEmail(
  { has, folder: path, marks }: Partial<EmailState>,
  name: (id: string | null | undefined) => string | null,
  { change }: PreparedEmails,
) {
  const mark = MARKS.get(change.flag ?? '');
  const label = change.folder?.name ?? change.flag ?? '';
  return {
    ...(has !== undefined && (mark ? { [mark]: has ? 'yes' : 'no' } : { label: has ? label : null })),
    ...(path !== undefined && { folder: name(path) }),
    ...(marks && { marks }),
  };
}
