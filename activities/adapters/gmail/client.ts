import type * as Gmail from '@googleapis/gmail';
import { z } from 'zod';
import type { CallLimits } from '../../../src/contract/adapter';
import { optional } from '../../../src/host/optional';
import type { LabelChange } from './parameters';
import { googleTransport, type AskGoogle, type GoogleAccount } from '../google/transport';

/** Gmail's requests, one function each. Each obeys the limits and throws `ProviderFailure`. */
export type GmailClient = ReturnType<typeof gmailClient>;

export function gmailClient(options: GoogleAccount, limits: CallLimits) {
  const { gmail } = optional<typeof Gmail>('@googleapis/gmail');
  const { users } = gmail({
    version: 'v1',
    ...(options.rootUrl !== undefined && { rootUrl: options.rootUrl }),
  });
  const ask = googleTransport('Gmail', options, limits);
  return {
    ...labelRequests(users.labels, ask),
    ...searchRequests(users.messages, ask),
    ...emailRequests(users.messages, ask),
  };
}

const userId = 'me';
/** The maximum of one `messages.list`. */
export const PAGE_SIZE = 500;
/** Quota units a request (https://developers.google.com/workspace/gmail/api/reference/quota). */
const UNITS = { labels: 1, createLabel: 5, list: 5, get: 20, modify: 5, batchModify: 50 } as const;

// Gmail leaves empty lists out of its answers.
const label = z.object({ id: z.string().min(1), name: z.string() });
const labelsAnswer = z.object({ labels: z.array(label).optional() });
const listAnswer = z.object({
  messages: z.array(z.object({ id: z.string().min(1) })).optional(),
  nextPageToken: z.string().optional(),
});
const emailAnswer = z.object({ id: z.string().min(1), labelIds: z.array(z.string()).optional() });
const header = z.object({ name: z.string(), value: z.string() });
const headingAnswer = z.object({
  id: z.string().min(1),
  internalDate: z
    .string()
    .regex(/^-?\d{1,15}$/)
    .optional(),
  payload: z.object({ headers: z.array(header).optional() }).optional(),
});

function labelRequests(labels: Gmail.gmail_v1.Resource$Users$Labels, ask: AskGoogle) {
  return {
    async labels() {
      const params = { userId, fields: 'labels(id,name)' };
      return (await ask(labelsAnswer, UNITS.labels, (options) => labels.list(params, options))).labels ?? [];
    },
    createLabel(name: string) {
      const params = { userId, requestBody: { name }, fields: 'id,name' };
      return ask(label, UNITS.createLabel, (options) => labels.create(params, options));
    },
  };
}

const second = (ms: number): number => Math.floor(ms / 1_000);

function searchRequests(messages: Gmail.gmail_v1.Resource$Users$Messages, ask: AskGoogle) {
  const page = (params: Gmail.gmail_v1.Params$Resource$Users$Messages$List) =>
    ask(listAnswer, UNITS.list, (options) => messages.list({ userId, ...params }, options));
  return {
    /** Ids in list order, from as many pages as `wanted` needs. */
    async search(q: string, wanted: number): Promise<string[]> {
      const ids: string[] = [];
      const params = { q, maxResults: Math.min(PAGE_SIZE, wanted), fields: 'messages/id,nextPageToken' };
      let next: { pageToken?: string } | undefined = {};
      while (next !== undefined && ids.length < wanted) {
        const answer: z.output<typeof listAnswer> = await page({ ...params, ...next });
        ids.push(...(answer.messages ?? []).map(({ id }) => id));
        next = answer.nextPageToken === undefined ? undefined : { pageToken: answer.nextPageToken };
      }
      return ids.slice(0, wanted);
    },
    /** One page of the newest emails with this label, of all times or of a period in milliseconds. */
    async newestWith(labelId: string, span?: { from: number; to: number }): Promise<string[]> {
      const includeSpamTrash = labelId === 'TRASH' || labelId === 'SPAM';
      const params = { labelIds: [labelId], includeSpamTrash, maxResults: PAGE_SIZE, fields: 'messages/id' };
      // Seconds (https://developers.google.com/workspace/gmail/api/guides/filtering); both ends lie outside the period.
      const q = span && `after:${second(span.from) - 1} before:${second(span.to) + 2}`;
      return (await page({ ...params, ...(q !== undefined && { q }) })).messages?.map(({ id }) => id) ?? [];
    },
  };
}

function emailRequests(messages: Gmail.gmail_v1.Resource$Users$Messages, ask: AskGoogle) {
  const changeBody = (change: LabelChange) =>
    'add' in change ? { addLabelIds: [change.add] } : { removeLabelIds: [change.remove] };
  return {
    /** The subject, empty if there is none, and when Gmail received the email (milliseconds). */
    async heading(id: string): Promise<{ subject: string; received?: number }> {
      const params = {
        userId,
        id,
        format: 'metadata',
        metadataHeaders: ['Subject'],
        fields: 'id,internalDate,payload/headers',
      };
      const { payload, internalDate } = await ask(headingAnswer, UNITS.get, (options) =>
        messages.get(params, options),
      );
      const subject = payload?.headers?.find(({ name }) => name.toLowerCase() === 'subject')?.value ?? '';
      return { subject, received: internalDate === undefined ? undefined : Number(internalDate) };
    },
    async labelsOf(id: string): Promise<string[]> {
      const params = { userId, id, format: 'minimal', fields: 'id,labelIds' };
      return (await ask(emailAnswer, UNITS.get, (options) => messages.get(params, options))).labelIds ?? [];
    },
    async modifyAll(ids: string[], change: LabelChange): Promise<void> {
      const params = { userId, requestBody: { ids, ...changeBody(change) } };
      await ask(z.unknown(), UNITS.batchModify, (options) => messages.batchModify(params, options));
    },
    /** Returns the labels that the email has now. */
    async modify(id: string, change: LabelChange): Promise<string[]> {
      const params = { userId, id, requestBody: changeBody(change), fields: 'id,labelIds' };
      return (
        (await ask(emailAnswer, UNITS.modify, (options) => messages.modify(params, options))).labelIds ?? []
      );
    },
  };
}
