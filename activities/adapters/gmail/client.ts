import type * as Gmail from '@googleapis/gmail';
import { z } from 'zod';
import type { CallLimits } from '../../../src/contract/adapter';
import { optional } from '../../../src/host/optional';
import { fromPages, googleTransport, type GoogleAccount } from '../google/transport';

/** Gmail's requests, one function each. Each obeys the limits and throws `ProviderFailure`. */
export type GmailClient = ReturnType<typeof gmailClient>;

const userId = 'me';
/** The largest page of `messages.list`. */
const PAGE_SIZE = 500;
/** Quota units per request (https://developers.google.com/workspace/gmail/api/reference/quota). */
const UNITS = { labels: 1, createLabel: 5, list: 5, get: 20, modify: 5 } as const;

// Gmail omits empty lists from its answers.
const label = z.object({ id: z.string().min(1), name: z.string() });
export type Label = z.output<typeof label>;
const labelsAnswer = z.object({ labels: z.array(label).optional() });
const messageRef = z.object({ id: z.string().min(1), threadId: z.string().optional() });
const listAnswer = z.object({
  messages: z.array(messageRef).optional(),
  nextPageToken: z.string().optional(),
});
const labelled = z.object({ id: z.string().min(1), labelIds: z.array(z.string()).default([]) });
const header = z.object({ name: z.string(), value: z.string() });
const email = labelled.extend({
  threadId: z.string().optional(),
  internalDate: z.string().optional(),
  payload: z.object({ headers: z.array(header).optional() }).optional(),
});
export type Email = z.output<typeof email>;

export function gmailClient(options: GoogleAccount, limits: CallLimits) {
  const { gmail } = optional<typeof Gmail>('@googleapis/gmail');
  const { labels, messages } = gmail({
    version: 'v1',
    ...(options.rootUrl !== undefined && { rootUrl: options.rootUrl }),
  }).users;
  const ask = googleTransport('Gmail', options, limits);
  return {
    async labels(): Promise<Label[]> {
      const params = { userId, fields: 'labels(id,name)' };
      return (await ask(labelsAnswer, UNITS.labels, (how) => labels.list(params, how))).labels ?? [];
    },
    createLabel(name: string): Promise<Label> {
      const params = { userId, requestBody: { name }, fields: 'id,name' };
      return ask(label, UNITS.createLabel, (how) => labels.create(params, how));
    },
    /** Returns the ids of the first `limit` emails and of their conversations, in list order. */
    list(filter: { q: string } | { labelIds: string[] }, limit = Infinity) {
      const fields = 'messages(id,threadId),nextPageToken';
      const params = { userId, ...filter, maxResults: Math.min(PAGE_SIZE, limit), fields };
      return fromPages(async (next) => {
        const request = (how: object) => messages.list({ ...params, ...next }, how);
        const { messages: items = [], ...more } = await ask(listAnswer, UNITS.list, request);
        return { items, ...more };
      }, limit);
    },
    /** Returns the labels, conversation, date, subject and sender of an email. */
    email(id: string): Promise<Email> {
      const metadataHeaders = ['Subject', 'From'];
      const fields = 'id,threadId,labelIds,internalDate,payload/headers';
      const params = { userId, id, format: 'metadata', metadataHeaders, fields };
      return ask(email, UNITS.get, (how) => messages.get(params, how));
    },
    /** Returns the labels of the email after the change. */
    async modify(id: string, { add, remove }: { add: string[]; remove: string[] }): Promise<string[]> {
      const requestBody = { addLabelIds: add, removeLabelIds: remove };
      const params = { userId, id, requestBody, fields: 'id,labelIds' };
      return (await ask(labelled, UNITS.modify, (how) => messages.modify(params, how))).labelIds;
    },
  };
}
