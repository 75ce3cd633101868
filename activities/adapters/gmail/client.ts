import type * as Gmail from '@googleapis/gmail';
import { z } from 'zod';
import type { CallLimits } from '../../../src/contract/adapter';
import { optional } from '../../../src/host/optional';
import type { Labels } from './state';
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
    ...historyRequests(users, ask),
  };
}

const userId = 'me';
/** The maximum of one `messages.list`. */
export const PAGE_SIZE = 500;
/** Quota units a request (https://developers.google.com/workspace/gmail/api/reference/quota). */
const UNITS = {
  labels: 1,
  createLabel: 5,
  list: 5,
  get: 20,
  modify: 5,
  batchModify: 50,
  profile: 1,
  history: 2,
} as const;

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
  labelIds: z.array(z.string()).optional(),
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
  };
}

function emailRequests(messages: Gmail.gmail_v1.Resource$Users$Messages, ask: AskGoogle) {
  const body = ({ add, remove }: Labels) => ({ addLabelIds: [...add], removeLabelIds: [...remove] });
  return {
    /** The subject, empty if there is none, and the labels. */
    async heading(id: string): Promise<{ subject: string; labels: string[] }> {
      const params = {
        userId,
        id,
        format: 'metadata',
        metadataHeaders: ['Subject'],
        fields: 'id,labelIds,payload/headers',
      };
      const { payload, labelIds = [] } = await ask(headingAnswer, UNITS.get, (options) =>
        messages.get(params, options),
      );
      const subject = payload?.headers?.find(({ name }) => name.toLowerCase() === 'subject')?.value ?? '';
      return { subject, labels: labelIds };
    },
    async labelsOf(id: string): Promise<string[]> {
      const params = { userId, id, format: 'minimal', fields: 'id,labelIds' };
      return (await ask(emailAnswer, UNITS.get, (options) => messages.get(params, options))).labelIds ?? [];
    },
    async modifyAll(ids: string[], labels: Labels): Promise<void> {
      const params = { userId, requestBody: { ids, ...body(labels) } };
      await ask(z.unknown(), UNITS.batchModify, (options) => messages.batchModify(params, options));
    },
    /** Returns the labels that the email has now. */
    async modify(id: string, labels: Labels): Promise<string[]> {
      const params = { userId, id, requestBody: body(labels), fields: 'id,labelIds' };
      return (
        (await ask(emailAnswer, UNITS.modify, (options) => messages.modify(params, options))).labelIds ?? []
      );
    },
  };
}

const profileAnswer = z.object({ historyId: z.string().min(1) });
const labelled = z.array(
  z.object({ message: z.object({ id: z.string() }), labelIds: z.array(z.string()).optional() }),
);
const historyAnswer = z.object({
  history: z
    .array(z.object({ labelsAdded: labelled.optional(), labelsRemoved: labelled.optional() }))
    .optional(),
});

/** A label that an email got or lost. */
interface LabelEvent {
  readonly id: string;
  readonly label: string;
  readonly has: boolean;
}

function historyRequests(users: Gmail.gmail_v1.Resource$Users, ask: AskGoogle) {
  return {
    /** The point in the mailbox's history from which `labelEvents` reads. */
    async historyId(): Promise<string> {
      const params = { userId, fields: 'historyId' };
      return (await ask(profileAnswer, UNITS.profile, (options) => users.getProfile(params, options)))
        .historyId;
    },
    /** What emails got and lost since a point in the history, oldest first: one page. */
    async labelEvents(startHistoryId: string): Promise<LabelEvent[]> {
      const params = {
        userId,
        startHistoryId,
        historyTypes: ['labelAdded', 'labelRemoved'],
        maxResults: PAGE_SIZE,
        fields: 'history(labelsAdded(message/id,labelIds),labelsRemoved(message/id,labelIds))',
      };
      const { history = [] } = await ask(historyAnswer, UNITS.history, (options) =>
        users.history.list(params, options),
      );
      return history.flatMap(({ labelsAdded = [], labelsRemoved = [] }) => [
        ...eventsOf(labelsAdded, true),
        ...eventsOf(labelsRemoved, false),
      ]);
    },
  };
}

function eventsOf(changes: z.output<typeof labelled>, has: boolean): LabelEvent[] {
  return changes.flatMap(({ message: { id }, labelIds = [] }) =>
    labelIds.map((label) => ({ id, label, has })),
  );
}
