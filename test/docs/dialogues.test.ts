import { randomUUID } from 'node:crypto';
import { handleMessage, type SeenGate } from '../../src/client';
import { BatchgateError } from '../../src/contract/errors';
import type { BulkOperationInput, BulkStatus } from '../../src/contract/operation';
import { presentBulkStatus } from '../../src/core/bulk/presenter';
import { createFakeAdapter } from '../../src/testing/fake-adapter';
import { startHarness, type Harness } from '../helpers/harness';
import { startHttpApi, type HttpApi } from '../helpers/http-api';
import { blocksOf } from './markdown';

/** Replays the dialogues of docs/conversation.md with a real server and over HTTP, and compares them word for word. */
const PAGE = 'docs/conversation.md';
const APART = '(not about the operation)';
const letters = Array.from({ length: 12 }, (_, at) => ({
  id: `l-${at + 1}`,
  display_name: `Letter ${at + 1}`,
}));
const adapter = createFakeAdapter({
  toolName: 'letters',
  itemNoun: { one: 'letter', many: 'letters' },
  items: () => letters,
  apply: ({ id }) => {
    const failed = { item_id: id, success: false, error: 'rate limited', retryable: true };
    const lost = { item_id: id, success: false, error: 'the answer never came', outcome_unknown: true };
    return Promise.resolve(id === 'l-3' ? failed : id === 'l-12' ? lost : undefined);
  },
});
/** For the dialogues that undo something, or edit a change. */
const marks = new Map<string, string>();
const drafts = createFakeAdapter({
  toolName: 'drafts',
  itemNoun: { one: 'letter', many: 'letters' },
  items: () => letters,
  apply: () => Promise.resolve(),
  marks,
});
/** For the dialogues about a tool that refuses everything for an hour. */
const busy = createFakeAdapter({
  toolName: 'busy',
  itemNoun: { one: 'letter', many: 'letters' },
  items: () => letters,
  apply: () => Promise.resolve(),
  onCall: (method) => {
    if (method !== 'executeBatch') return;
    const until = hours(1);
    throw new BatchgateError('RATE_LIMITED', 'The quota is used up', 'Try again later.', { until });
  },
});
/** A time from now on, in whole hours. Times are compared as such. */
const hours = (count: number) => new Date(Date.now() + count * 3_600_000).toISOString();
const timeless = (text: string) =>
  text.replace(/\d{4}-\d\d-\d\d[T ]\d\d:\d\d(?::\d\d)?(?:\.\d+)?(?:Z| UTC|[+-]\d\d:\d\d)?/g, 'TIME');
/** The operations of the dialogues, by the word after their language. */
const INPUTS: Record<string, () => Partial<BulkOperationInput>> = {
  '': () => ({}),
  undoable: () => ({ domain: 'drafts' }),
  editable: () => ({ domain: 'drafts', params: { group: 'all', mark: 'Later' } }),
  growing: () => ({
    ...{ batch_size: undefined, batch_sizes: [1, 5], reason: 'They are older than a year.' },
    requested_by: 'Grace',
  }),
  scheduled: () => ({ domain: 'drafts', not_before: hours(2) }),
  throttled: () => ({ domain: 'busy' }),
  approved: () => ({ domain: 'drafts', params: { group: 'all', mark: 'Later' }, requested_by: 'Grace' }),
};
const dialogues = blocksOf(PAGE).filter(({ language }) => language === 'dialogue');

let harness: Harness;
let http: HttpApi;
beforeAll(async () => {
  const require = { approvals: 2, not_requester: true };
  const when = 'domain == "drafts" && "requester" in given && requester == "Grace"';
  harness = await startHarness({
    adapters: [adapter, drafts, busy],
    policies: [{ name: 'four eyes', when, require }],
  });
  http = await startHttpApi(harness);
});
beforeEach(() => marks.clear());
afterAll(async () => {
  await http?.close();
  await harness?.close();
});

interface Heard {
  handled: boolean;
  reply: string;
  asked?: SeenGate;
}
type Say = (
  session: string,
  said: { text: string; by: string },
  seen: SeenGate | undefined,
) => Promise<Heard>;
const bySay: Say = (session, { text, by }) =>
  handleMessage(harness.client, session, text, {
    task_queue: harness.taskQueue,
    message_id: randomUUID(),
    by,
  });
/** A client of the HTTP API sends the question that its person was shown. */
const overHttp: Say = async (session, said, seen) => {
  const body = { ...said, message_id: randomUUID(), ...(seen && { seen }) };
  return (await http.done('POST', `/v1/sessions/${session}/messages`, { body })).body as Heard;
};
const gateOf = ({ next_batch: gate }: BulkStatus): SeenGate | undefined =>
  gate && { batch: gate.number, attempt: gate.attempt, digest: gate.digest };

describe.each([
  ['said', bySay],
  ['over HTTP', overHttp],
])('%s', (door, say) => {
  it.each(dialogues.map(({ words, body }, at) => ({ number: at + 1, words, body })))(
    'dialogue $number runs as written',
    async ({ number, words, body }) => {
      // Its id is on the page.
      const session = `dialogue-${number}${door === 'said' ? '' : '-http'}`;
      const input = { domain: 'letters', batch_size: 5, session_id: session, ...INPUTS[words]?.() };
      const status = await harness.start(input, session);
      const said = [presentBulkStatus(status)];
      let seen = gateOf(status);
      for (const [line, by = 'Ada', text = ''] of body.matchAll(/^> (?:\(([A-Z][a-z]+)\) )?(.*)$/gm)) {
        const turn = await say(session, { text, by }, seen);
        seen = turn.asked ?? seen;
        said.push(line, turn.handled ? turn.reply : APART);
      }
      const told = said.join('\n').replaceAll('-http', '');
      expect(timeless(told)).toBe(timeless(body.trimEnd()));
    },
  );
});

it('exist, each with several turns, and for each kind of operation', () => {
  expect(dialogues.map(({ body }) => (body.match(/^> /gm) ?? []).length > 4)).toEqual(Array(12).fill(true));
  expect(new Set(dialogues.map(({ words }) => words))).toEqual(new Set(Object.keys(INPUTS)));
});
