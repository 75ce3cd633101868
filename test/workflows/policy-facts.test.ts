import { editBulkOperation, previewBulkOperation } from '../../src/client';
import type { PreparedBulkContext } from '../../src/contract/items';
import type { BulkStatus } from '../../src/contract/operation';
import { createFakeAdapter } from '../../src/testing/fake-adapter';
import { failure } from '../helpers/failure';
import { countingTool, manyItems, startHarness, type Harness } from '../helpers/harness';
import { startHttpApi, type HttpApi } from '../helpers/http-api';

/** The facts of an operation that policies read, at the boundary. */
/** A tool that compares marks without case. */
const spelled = {
  ...createFakeAdapter({
    toolName: 'spelled',
    items: () => manyItems(6),
    apply: () => Promise.resolve(),
  }),
  resolvedParams: ({ action_params: { mark } }: PreparedBulkContext) => ({
    mark: String(mark).toLowerCase(),
  }),
};

let harness: Harness;
let http: HttpApi;
beforeAll(async () => {
  harness = await startHarness({
    adapters: [countingTool(6).adapter, spelled],
    policies: [
      {
        name: 'no secrets',
        when: 'has(params.mark) && params.mark == "secret"',
        refuse: 'Marks are public.',
      },
      { name: 'no agents', when: 'domain == "fake" && agent', refuse: 'A person asks.' },
    ],
  });
  http = await startHttpApi(harness);
});
afterAll(async () => {
  await http?.close();
  await harness?.close();
});

const edited = ({ operation_id, next_batch }: BulkStatus, mark: string) =>
  editBulkOperation(harness.client, operation_id, { change: { mark }, digest: next_batch?.digest });

it('judges what the tool reads in a name, at the start, in a preview and in an edit', async () => {
  const start = (mark: string) => ({ domain: 'spelled', action: 'mark', params: { group: 'all', mark } });
  const { client, taskQueue: task_queue } = harness;
  for (const refused of [
    () => harness.start(start('Secret')),
    () => previewBulkOperation(client, start('SECRET'), { task_queue }),
  ])
    expect(await failure(refused())).toMatchObject({
      ...{ code: 'FORBIDDEN', message: expect.stringContaining('Marks are public.') },
    });
  const status = await harness.start(start('Later'));
  expect(status.next_batch?.change.fields).toEqual([{ name: 'mark', to: 'Later' }]);
  expect(await failure(edited(status, 'seCret'))).toMatchObject({ details: { policy: 'no secrets' } });
  expect(await edited(status, 'Archive')).toMatchObject({
    next_batch: { change: { fields: [{ to: 'Archive' }] } },
  });
});

it('knows that an agent asks, by its own key and for a backend', async () => {
  const body = { domain: 'fake', action: 'mark', params: { group: 'all' } };
  const key = await http.key('agent');
  for (const request of [{ key, body }, { body: { ...body, by_agent: true } }])
    expect(await http.ask('POST', '/v1/operations', request)).toMatchObject({
      ...{ status: 403, body: { details: { policy: 'no agents' } } },
    });
  expect(await http.ask('POST', '/v1/previews', { key, body })).toMatchObject({ status: 403 });
  expect((await http.done('POST', '/v1/operations', { body })).body.state).toBe('awaiting_confirmation');
});
