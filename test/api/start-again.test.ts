import { reviseBulkOperation } from '../../src/client';
import type { BulkOperationInput } from '../../src/contract/operation';
import { countingTool, startHarness, type Harness } from '../helpers/harness';
import { startHttpApi, type HttpApi } from '../helpers/http-api';
import { leftoverOf } from '../helpers/page-text';
import { visitorOf } from '../helpers/sign-in';

/** The form of an operation that comes in the place of one that was sent back, without a browser. */
let harness: Harness;
let http: HttpApi;

beforeAll(async () => {
  harness = await startHarness({ adapters: [countingTool(12).adapter] });
  http = await startHttpApi(harness);
});
afterAll(async () => {
  await http?.close();
  await harness?.close();
});
afterEach(() => expect(http.failures.splice(0)).toEqual([]));

const start = (more: Partial<BulkOperationInput> = {}) => harness.start({ batch_size: 5, ...more });

it('starts again from what was sent back: its change, its items and the reason, and what differs is shown', async () => {
  const started = await start({
    reason: 'They are old.',
    requested_by: 'Ada',
    params: { group: 'all', mark: 'Later' },
  });
  const { operation_id } = started;
  await reviseBulkOperation(harness.client, operation_id, {
    digest: started.next_batch?.digest,
    note: 'Use another mark.',
    by: 'Ben',
  });
  const ada = await visitorOf(http);
  const { page } = await ada.visit(`/operations/${operation_id}`);
  const [, link = ''] = /href="(\/start\/[^"]*)"\s*>Start again/.exec(page) ?? [];
  const form = await ada.visit(link.replaceAll('&amp;', '&'));
  expect(form.status).toBe(200);
  for (const text of [
    'Use another mark.',
    `value="${operation_id}"`,
    'value="They are old."',
    'value="Later"',
    'value="5"',
  ])
    expect(form.page).toContain(text);
  expect(leftoverOf(form.page)).toBeUndefined();
  const asked = {
    revises: operation_id,
    reason: 'As you said.',
    mark: 'Archive',
    operation_id: 'bulk-again-1',
  };
  const preview = await ada.send('/start/fake/mark/preview', asked);
  expect(preview.page).toContain('Item 12');
  expect((await ada.send('/start/fake/mark', asked)).status).toBe(303);
  expect(await harness.status('bulk-again-1')).toMatchObject({
    ...{ revises: operation_id, reason: 'As you said.', requested_by: 'Ada', total: 12 },
    revision: { number: 1, items: { same: 12, added: 0, removed: 0 } },
  });
  expect((await harness.status('bulk-again-1')).message).toContain('“Later” → “Archive”');
  const viewer = await visitorOf(http, 'viewer');
  expect((await viewer.visit(`/operations/${operation_id}`)).page).not.toContain('Start again');
});

it('refuses a form in the place of what was not sent back, and starts nothing', async () => {
  const { operation_id } = await start();
  const ada = await visitorOf(http);
  for (const revises of [operation_id, 'bulk-none']) {
    const { status, page } = await ada.send('/start/fake/mark', { revises, operation_id: 'bulk-again-2' });
    expect(status).toBe(400);
    expect(page).toMatch(/id="field-revises-mistake"/);
  }
  await expect(harness.status('bulk-again-2')).rejects.toThrow();
  const empty = await ada.visit('/start/fake/mark?revises=bulk-none');
  expect([empty.status, empty.page.includes('bulk-none')]).toEqual([200, false]);
});
