import { createTrelloAdapter } from '../../activities/adapters/trello';
import { unlimited } from '../../activities/adapters/shared/allowance';
import type { BatchCall } from '../../src/contract/adapter';
import type { BulkItem } from '../../src/contract/items';
import { startHttpTap, type HttpTap } from '../../src/testing/http-tap';
import { startTrello, type Trello } from '../helpers/trello-server';
import { KEY, TOKEN } from '../helpers/trello-world';

/** A new Trello server for each test, and the tap that the adapter calls. */
export let trello: Trello;
export let tap: HttpTap;

export function useTrello(): void {
  beforeEach(async () => {
    trello = await startTrello();
    tap = await startHttpTap(trello.url);
  });
  afterEach(async () => {
    await tap.close();
    await trello.close();
  });
}

export const adapter = (credentials = () => Promise.resolve({ key: KEY, token: TOKEN })) =>
  createTrelloAdapter({ baseUrl: tap.url, credentials, allowance: unlimited });

export const within = (ms = 30_000): BatchCall => ({
  operation_id: 'bulk-test',
  run_id: 'run-1',
  signal: new AbortController().signal,
  deadline: Date.now() + ms,
});

export const prepare = (action: string, params: Record<string, unknown>, explicit_items = false) =>
  adapter().prepare({ action, params, explicit_items }, within());

/** Prepares a search, and returns its items as the plan freezes them. */
export async function planned(action: string, params: Record<string, unknown>) {
  const context = await prepare(action, params);
  const items = await adapter().getNextBatch(context, 1_000, 0, within());
  tap.reset();
  return { context, items };
}

export const execute = (items: BulkItem[], context: Awaited<ReturnType<typeof prepare>>) =>
  adapter().executeBatch(items, context, within());

export { failure } from '../helpers/failure';
