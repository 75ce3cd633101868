import { createTrelloAdapter } from '../../activities/adapters/trello';
import { unlimited } from '../../activities/adapters/shared/allowance';
import type { BatchCall } from '../../src/contract/adapter';
import type { BulkItem } from '../../src/contract/items';
import { startHttpTap, type HttpTap } from '../../src/testing';
import { startTrello, type Trello } from '../helpers/trello-server';
import { KEY, TOKEN } from '../helpers/trello-world';

/** A Trello of its own for each test, and the tap that the adapter speaks to. */
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

/** A prepared search and what it finds, as the plan freezes it. */
export async function planned(action: string, params: Record<string, unknown>) {
  const context = await prepare(action, params);
  const items = await adapter().getNextBatch(context, 1_000, 0, within());
  tap.reset();
  return { context, items };
}

export const execute = (items: BulkItem[], context: Awaited<ReturnType<typeof prepare>>) =>
  adapter().executeBatch(items, context, within());

export { failure } from '../helpers/failure';
