import { gmail } from '@googleapis/gmail';
import type { gmail_v1 } from '@googleapis/gmail';
import { z } from 'zod';
import type { CallLimits } from '../../../src/contract/adapter';
import type { LabelChange } from './parameters';
import { gmailTransport } from './transport';
import type { Ask, GmailOptions } from './transport';

/** Gmail's requests, one function each; every one obeys the limits and throws `GmailFailure`. */
export type GmailClient = ReturnType<typeof gmailClient>;

export function gmailClient(options: GmailOptions, limits: CallLimits) {
  const { users } = gmail({
    version: 'v1',
    ...(options.rootUrl === undefined ? {} : { rootUrl: options.rootUrl }),
  });
  const ask = gmailTransport(options, limits);
  return {
    ...labelRequests(users.labels, ask),
    ...searchRequests(users.messages, ask),
    ...emailRequests(users.messages, ask),
  };
}

const userId = 'me';
/** What one `messages.list` holds at most. */
const PAGE_SIZE = 500;

// Gmail leaves empty lists out of its answers.
const label = z.object({ id: z.string().min(1), name: z.string() });
const labelsAnswer = z.object({ labels: z.array(label).optional() });
const listAnswer = z.object({
  messages: z.array(z.object({ id: z.string().min(1) })).optional(),
  nextPageToken: z.string().optional(),
});
const emailAnswer = z.object({ id: z.string().min(1), labelIds: z.array(z.string()).optional() });
const header = z.object({ name: z.string(), value: z.string() });
const subjectAnswer = z.object({
  id: z.string().min(1),
  payload: z.object({ headers: z.array(header).optional() }).optional(),
});

function labelRequests(labels: gmail_v1.Resource$Users$Labels, ask: Ask) {
  return {
    async labels() {
      const params = { userId, fields: 'labels(id,name)' };
      return (await ask(labelsAnswer, (options) => labels.list(params, options))).labels ?? [];
    },
    createLabel(name: string) {
      const params = { userId, requestBody: { name }, fields: 'id,name' };
      return ask(label, (options) => labels.create(params, options));
    },
  };
}

function searchRequests(messages: gmail_v1.Resource$Users$Messages, ask: Ask) {
  const page = (params: gmail_v1.Params$Resource$Users$Messages$List) =>
    ask(listAnswer, (options) => messages.list({ userId, ...params }, options));
  return {
    /** Ids in list order, over as many pages as `wanted` takes. */
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
    /** The newest emails with this label, one page of them. */
    async newestWith(labelId: string): Promise<Set<string>> {
      const includeSpamTrash = labelId === 'TRASH' || labelId === 'SPAM';
      const params = { labelIds: [labelId], includeSpamTrash, maxResults: PAGE_SIZE, fields: 'messages/id' };
      return new Set((await page(params)).messages?.map(({ id }) => id));
    },
  };
}

function emailRequests(messages: gmail_v1.Resource$Users$Messages, ask: Ask) {
  const changeBody = (change: LabelChange) =>
    'add' in change ? { addLabelIds: [change.add] } : { removeLabelIds: [change.remove] };
  return {
    /** Empty when the email has none. */
    async subject(id: string): Promise<string> {
      const params = {
        userId,
        id,
        format: 'metadata',
        metadataHeaders: ['Subject'],
        fields: 'id,payload/headers',
      };
      const { payload } = await ask(subjectAnswer, (options) => messages.get(params, options));
      return payload?.headers?.find(({ name }) => name.toLowerCase() === 'subject')?.value ?? '';
    },
    async labelsOf(id: string): Promise<string[]> {
      const params = { userId, id, format: 'minimal', fields: 'id,labelIds' };
      return (await ask(emailAnswer, (options) => messages.get(params, options))).labelIds ?? [];
    },
    async modifyAll(ids: string[], change: LabelChange): Promise<void> {
      const params = { userId, requestBody: { ids, ...changeBody(change) } };
      await ask(z.unknown(), (options) => messages.batchModify(params, options));
    },
    /** Answers the labels that the email has now. */
    async modify(id: string, change: LabelChange): Promise<string[]> {
      const params = { userId, id, requestBody: changeBody(change), fields: 'id,labelIds' };
      return (await ask(emailAnswer, (options) => messages.modify(params, options))).labelIds ?? [];
    },
  };
}
