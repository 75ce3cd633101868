import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { z } from 'zod';
import { livingRecord, type LivingRecord } from '../lock';

/** The sender in the local mailbox whose emails the demo labels. */
export const NEWSLETTER_SENDER = 'news@northwind-weekly.example';
/** A label that exists there and is on no email yet. */
export const DEMO_LABEL = 'Newsletters';

const runtimeSchema = z.object({ url: z.url(), pid: z.number().int().positive() });
/** The process that serves a folder, and its address. */
export type MailboxRuntime = z.infer<typeof runtimeSchema>;

/** The record `mailbox.json` of the mailbox that holds this folder, written before the mailbox answers any request. */
export const mailboxRecord = (dataDir: string): LivingRecord<MailboxRuntime> =>
  livingRecord(join(dataDir, 'mailbox.json'), join(dataDir, 'mailbox.lock'), runtimeSchema);

/** The program that serves the local mailbox and calendar. A clone has it; an installed package leaves it out. */
export const localGoogleProgram = join(__dirname, '../../../dev/google/main.js');

/** Whether this installation has that program, built or as source. */
export const hasLocalGoogle = (): boolean =>
  [localGoogleProgram, localGoogleProgram.replace(/js$/, 'ts')].some((path) => existsSync(path));
