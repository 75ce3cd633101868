import { continueBulkOperation, getReport, previewBulkOperation } from '../../src/client';
import type { BulkItem } from '../../src/contract/items';
import { presentBatchItems } from '../../src/core/bulk/presenter';
import { failure } from '../helpers/failure';
import { startHarness, type Harness } from '../helpers/harness';
import { httpAdapter, SECRET, startServer } from './http-setup';

let server: Awaited<ReturnType<typeof startServer>>;
let harness: Harness;
beforeAll(async () => {
  server = await startServer();
  harness = await startHarness({ adapters: [httpAdapter([server.host])] });
});
afterAll(async () => {
  await harness.close();
  await server.close();
});
beforeEach(() => server.reset());

const refund = (amount: unknown): BulkItem => ({
  ...{ id: 'inv-1', display_name: 'Refund 5 EUR', raw_data: { amount } },
});
const asked = (items: BulkItem[], params: object = {}) => ({
  ...{ domain: 'http', action: 'request', items },
  params: { method: 'POST', url: `${server.url}/refunds/{{id}}`, body: { amount: '{{.amount}}' }, ...params },
});
const preview = (input: ReturnType<typeof asked>) =>
  previewBulkOperation(harness.client, input, { task_queue: harness.taskQueue });

describe('the request of an item', () => {
  it('is shown in the preview, the question and the report, and is what is sent', async () => {
    const input = asked([refund(987654)]);
    const after = { method: 'POST', url: `${server.url}/refunds/inv-1`, body: '{"amount":987654}' };
    expect((await preview(input)).items[0]).toMatchObject({ id: 'inv-1', after });
    const { operation_id: id } = await harness.start(input);
    const status = await harness.status(id);
    expect(status.next_batch?.items[0]).toMatchObject({ after });
    expect(presentBatchItems(status)).toContain(
      `Refund 5 EUR (inv-1): method: “POST”; url: “${after.url}”; body: “{"amount":987654}”`,
    );
    await continueBulkOperation(harness.client, id, { batch: 1 });
    expect(server.received).toMatchObject([{ method: 'POST', path: '/refunds/inv-1', body: after.body }]);
    expect((await getReport(harness.client, id)).rows[0]).toMatchObject({ outcome: 'succeeded', after });
  });

  it('has the members of its body and of its data in the order that the question shows', async () => {
    const raw_data = { p: { state: 'y', owner: { z: 1, a: 2 } } };
    const body = { reason: 'r', by: 'b', sig: '{{.p as text}}', all: '{{.p}}' };
    const { operation_id: id } = await harness.start(asked([{ ...refund(5), raw_data }], { body }));
    const { next_batch } = await harness.status(id);
    await continueBulkOperation(harness.client, id, { batch: 1 });
    const [sent] = server.received;
    expect(next_batch?.items[0]?.after).toMatchObject({ body: sent?.body });
    expect(sent?.body).toBe(
      String.raw`{"reason":"r","by":"b","sig":"{\"state\":\"y\",\"owner\":{\"z\":1,\"a\":2}}","all":{"state":"y","owner":{"z":1,"a":2}}}`,
    );
  });

  it('with another amount makes another digest, and the first one refuses it', async () => {
    const [small, large] = [asked([refund(5)]), asked([refund(987654)])];
    const [first, second] = [await preview(small), await preview(large)];
    expect(first.digest).not.toBe(second.digest);
    const error = await failure(harness.start({ ...large, expect_digest: first.digest }));
    expect(error.code).toBe('CHANGED_SINCE_PREVIEW');
    expect(error.message).toContain('{"amount":5}');
    expect(error.message).toContain('{"amount":987654}');
    expect((await harness.start({ ...large, expect_digest: second.digest })).state).toBe(
      'awaiting_confirmation',
    );
    expect(server.received).toEqual([]);
  });

  it('differs from its preview also in data that no placeholder shows', async () => {
    const with_ = (extra: string) => asked([{ ...refund(5), raw_data: { amount: 5, token: extra } }]);
    const { digest } = await preview(with_('a'));
    const error = await failure(harness.start({ ...with_('b'), expect_digest: digest }));
    expect(error.message).toMatch(/Refund 5 EUR \(inv-1\) differs in what is not shown of it: \[/);
  });

  it('is expected to fail if the item does not fill it in', async () => {
    const input = asked([refund(5), { id: 'inv-2', display_name: 'No amount' }]);
    const shown = await preview(input);
    expect(shown.expected_errors).toBe(1);
    expect(shown.items[1]).toMatchObject({ expected_error: 'The item has no amount' });
    const turn = await harness.start(input);
    expect(turn.message).toContain('1 of 2 will probably fail.');
    const { next_batch } = await harness.status(turn.operation_id);
    expect(next_batch?.items[1]).toMatchObject({ expected_error: 'The item has no amount' });
  });

  it('cannot be undone if the item does not fill in the request that undoes it', async () => {
    const undo = { method: 'DELETE', url: `${server.url}/refunds/{{.refund}}` };
    const items = [refund(5), { ...refund(6), id: 'inv-2', raw_data: { amount: 6, refund: 'r-6' } }];
    const shown = await preview(asked(items, { undo }));
    expect(shown.items.map(({ reversible }) => reversible)).toEqual(['no', undefined]);
  });

  it('shows no secret, wherever the request carries it', async () => {
    const raw_data = { api_key: 'k-4711', login: { password: 'pw-4711', user: 'ada' }, amount: 5 };
    const shown = await preview(
      asked([{ ...refund(5), raw_data }], {
        url: `${server.url}/refunds/{{.api_key}}?page_token={{.amount}}&amount={{.amount}}`,
        headers: { Authorization: { secret: 'token', prefix: 'Bearer ' } },
        body: { login: '{{.login}}', passphrase: 'of {{id}}', key_of: '{{.api_key}}' },
      }),
    );
    expect(shown.items[0]?.after).toEqual({
      method: 'POST',
      url: `${server.url}/refunds/(not shown)?page_token=(not shown)&amount=5`,
      body: '{"login":{"password":"(not shown)","user":"ada"},"passphrase":"(not shown)","key_of":"(not shown)"}',
    });
    const text = await preview(
      asked([{ ...refund(5), raw_data }], { body: 'pin={{.amount}}&password=x&a=1' }),
    );
    expect(text.items[0]?.after).toMatchObject({ body: 'pin=5&password=(not shown)&a=1' });
    expect(JSON.stringify([shown, text])).not.toMatch(new RegExp(`4711|password=x|${SECRET}`));
  });

  it('is followed by the values of its placeholders if it is too long to be shown whole', async () => {
    const shown = await preview(
      asked([refund(987654)], { body: { note: 'n'.repeat(400), amount: '{{.amount}}' } }),
    );
    const { body, ...more } = (shown.items[0]?.after ?? {}) as Record<string, string>;
    expect(body).toMatch(/^\{"note":"n+… \(\d+ characters\)$/);
    expect(more).toMatchObject({ '{{id}}': 'inv-1', '{{amount}}': '987654' });
  });
});

it('refuses a start whose metadata, which the adapter gets, differs from the preview', async () => {
  const input = asked([refund(5)]);
  const { digest } = await preview(input);
  const error = await failure(
    harness.start({ ...input, metadata: { ticket: 'T-1' }, expect_digest: digest }),
  );
  expect(error.message).toContain('metadata was not given, is {"ticket":"T-1"}');
});
