import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { listBulkOperations } from '../../src/client';
import { BatchgateError } from '../../src/contract/errors';
import { loadDataConverter } from '../../src/host/data-converter';
import { countingTool, startHarness } from '../helpers/harness';
import { confirmOpen } from '../helpers/confirm';
import { caughtUp } from '../helpers/look-again';

const CODEC = `
const flip = (payload) => ({ ...payload, data: Uint8Array.from(payload.data ?? [], (byte) => byte ^ 0x5a) });
exports.payloadCodecs = [{
  encode: async (payloads) => payloads.map((p) => ({ metadata: { encoding: Buffer.from('binary/flipped') }, data: flip({ data: Buffer.from(JSON.stringify({ m: Buffer.from(p.metadata.encoding).toString(), d: Buffer.from(p.data ?? []).toString('base64') })) }).data })),
  decode: async (payloads) => payloads.map((p) => {
    if (Buffer.from(p.metadata.encoding).toString() !== 'binary/flipped') return p;
    const { m, d } = JSON.parse(Buffer.from(flip(p).data).toString());
    return { metadata: { encoding: Buffer.from(m) }, data: Buffer.from(d, 'base64') };
  }),
}];
`;

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'batchgate-codec-'));
});
afterAll(() => rm(folder, { recursive: true, force: true }));

it('keeps item names out of the history on the server, and everything works with it', async () => {
  const path = join(folder, 'codec.cjs');
  await writeFile(path, CODEC);
  const dataConverter = await loadDataConverter(path);
  const tool = countingTool(5);
  const harness = await startHarness({ adapters: [tool.adapter], dataConverter });
  try {
    const { operation_id: id } = await harness.start({ metadata: { because: 'a secret reason' } });
    expect(await confirmOpen(harness.client, id)).toMatchObject({
      state: 'completed',
      succeeded: 5,
    });
    const handle = harness.client.workflow.getHandle(id);
    expect(await handle.result()).toMatchObject({ total: 5 });
    const stored = (await handle.fetchHistory()).events ?? [];
    const texts = payloadTexts(stored);
    expect(texts.length).toBeGreaterThan(5);
    expect(texts.filter((text) => /Item 1|item-001|a secret reason/.test(text))).toEqual([]);
    const { client, taskQueue: task_queue } = harness;
    await caughtUp(async () => {
      const rows = await listBulkOperations(client, { task_queue });
      expect(rows.map((row) => row.operation_id)).toEqual([id]);
    });
  } finally {
    await harness.close();
  }
});

it('refuses a module that is missing or exports no codecs', async () => {
  const empty = join(folder, 'empty.cjs');
  await writeFile(empty, 'exports.nothing = 1;');
  for (const path of [empty, join(folder, 'none.cjs')]) {
    const error = await loadDataConverter(path).catch((caught: unknown) => caught);
    expect(error).toBeInstanceOf(BatchgateError);
    expect(error).toMatchObject({ code: 'NOT_CONFIGURED' });
  }
  expect(await loadDataConverter(undefined)).toBeUndefined();
});

/** Every byte field in the events as text, the way a reader of the server's database would see it. */
function payloadTexts(value: unknown): string[] {
  if (value instanceof Uint8Array || Buffer.isBuffer(value)) return [Buffer.from(value).toString('latin1')];
  if (value === null || typeof value !== 'object') return [];
  return Object.values(value).flatMap(payloadTexts);
}
