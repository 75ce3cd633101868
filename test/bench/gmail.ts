import { fork } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { performance } from 'node:perf_hooks';
import { createGmailAdapter } from '../../activities/adapters/gmail';
import { collectItems } from '../../src/core/shared/paging';
import { mapConcurrently } from '../../activities/adapters/shared/actions';
import { unlimited } from '../../activities/adapters/shared/allowance';
import { startHttpTap, type HttpTap } from '../../src/testing/http-tap';
import type { BulkItem, PreparedBulkContext } from '../../src/contract/items';
import { median, ratios } from './figures';
import { note } from './ground';

const BATCH = 20;
const PLAN = 200;
const ROUNDS = 20;
/** The emulator allows 5,000 requests per token within an hour. */
const REQUESTS_A_TOKEN = 2_000;
const USER = 'sam@mailbox.example';

const SEED = {
  google: {
    users: [{ email: USER, name: 'Sam' }],
    labels: [{ id: 'Label_1', name: 'Newsletters', user_email: USER }],
    messages: Array.from({ length: PLAN }, (_, at) => ({
      id: `message-${at}`,
      thread_id: `thread-${at}`,
      user_email: USER,
      from: 'news@northwind-weekly.example',
      to: USER,
      subject: `Issue ${at}`,
      body_text: 'Hello',
      internal_date: String(1_700_000_000_000 + at),
      label_ids: ['INBOX'],
    })),
  },
};

const call = () => ({
  operation_id: 'bench',
  run_id: 'run-1',
  signal: new AbortController().signal,
  deadline: Date.now() + 60_000,
});
let sent = 0;
const accessToken = () => Promise.resolve(`token-${Math.floor(sent++ / REQUESTS_A_TOKEN)}`);

/** Compares labeling a batch by the adapter, which reads each email first, and by a loop, and measures a plan. */
export async function gmailBench(): Promise<void> {
  const emulator = fork(join(__dirname, '../helpers/google-process.ts'), [JSON.stringify(SEED)], {
    execArgv: ['--import', 'tsx'],
  });
  const [port] = (await once(emulator, 'message')) as [string];
  const tap = await startHttpTap(`http://127.0.0.1:${port}`);
  try {
    const adapter = createGmailAdapter({ rootUrl: tap.url, accessToken, allowance: unlimited });
    const context = await adapter.prepare(
      { action: 'label', params: { query: 'from:news@', label_name: 'Newsletters' }, explicit_items: false },
      call(),
    );
    await planned(tap, adapter, context);
    await beside(tap, (items) => labelAll(adapter, context, items));
  } finally {
    await tap.close();
    emulator.disconnect();
  }
}

type Adapter = ReturnType<typeof createGmailAdapter>;

async function planned(tap: HttpTap, adapter: Adapter, context: PreparedBulkContext): Promise<void> {
  tap.forget();
  const started = performance.now();
  const counted = await adapter.getTotalCount(context, call());
  const page = (size: number, offset: number) => adapter.getNextBatch(context, size, offset, call());
  const items = await collectItems(page, adapter.planPageSize ?? 100, counted, () => undefined);
  if (items?.length !== PLAN) throw new Error(`the plan holds ${items?.length} emails`);
  const lists = tap.calls.filter((one) => one === 'GET messages').length;
  const took = performance.now() - started;
  console.log(
    `gmail: count and plan of ${PLAN} emails: ${lists} list calls, ${tap.requests.length - lists} others, ${took.toFixed(0)} ms`,
  );
}

async function labelAll(adapter: Adapter, context: PreparedBulkContext, items: BulkItem[]): Promise<void> {
  const results = await adapter.executeBatch(items, context, call());
  if (!results.every(({ success }) => success)) throw new Error('an email has no label');
}

/** Makes one call per email, five at a time, like a loop over the API. */
async function labelEach(url: string, items: BulkItem[]): Promise<void> {
  await mapConcurrently(items, 5, async ({ id }) => {
    const answer = await fetch(`${url}/gmail/v1/users/me/messages/${id}/modify`, {
      method: 'POST',
      headers: { authorization: `Bearer ${await accessToken()}`, 'content-type': 'application/json' },
      body: JSON.stringify({ addLabelIds: ['Label_1'] }),
    });
    const { labelIds } = (await answer.json()) as { labelIds?: string[] };
    if (!labelIds?.includes('Label_1')) throw new Error(`${id} has no label`);
  });
}

async function beside(tap: HttpTap, ours: (items: BulkItem[]) => Promise<void>): Promise<void> {
  const items = Array.from({ length: BATCH }, (_, at) => ({ id: `message-${at}`, display_name: '' }));
  const timed = async (work: (items: BulkItem[]) => Promise<void>) => {
    tap.forget();
    const started = performance.now();
    await work(items);
    return { ms: performance.now() - started, requests: tap.requests.length };
  };
  note('labels, side by side');
  const own: { ms: number; requests: number }[] = [];
  const each: typeof own = [];
  for (let round = -2; round < ROUNDS; round++) {
    const pair = [await timed(ours), await timed((batch) => labelEach(tap.url, batch))] as const;
    if (round < 0) continue;
    own.push(pair[0]);
    each.push(pair[1]);
  }
  const times = (runs: typeof own) => runs.map(({ ms }) => ms);
  const most = (runs: typeof own) => Math.max(...runs.map(({ requests }) => requests));
  const { median: ratio, least, most: worst } = ratios(times(own), times(each));
  console.log(
    `gmail: label of ${BATCH} emails: ${most(own)} requests, ${median(times(own)).toFixed(1)} ms; ` +
      `a call an email: ${most(each)} requests, ${median(times(each)).toFixed(1)} ms; ` +
      `ratio ${ratio.toFixed(2)} (${least.toFixed(2)} to ${worst.toFixed(2)})`,
  );
}
