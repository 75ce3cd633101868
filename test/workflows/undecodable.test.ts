import { randomUUID } from 'node:crypto';
import { gzipSync } from 'node:zlib';
import type { Payload, PayloadCodec } from '@temporalio/common';
import { z } from 'zod';
import { awaitMacro, getTaskRun, startMacro, startTaskRun, touch } from '../../src/client';
import type { Step } from '../../src/contract/macro';
import { sentinelId } from '../../src/contract/sentinel';
import { codeOf, countingTool, gateway, startHarness, type Harness } from '../helpers/harness';
import { macrosOf, tool } from '../helpers/macro-tools';
import { unreplayableOf } from '../helpers/replayed';
import { confirmOpen } from '../helpers/confirm';

const bytes = (text: string) => Buffer.from(text);
const payload = (encoding: string, data: Uint8Array): Payload => ({
  metadata: { encoding: bytes(encoding) },
  data,
});

/** Payloads of clients with another codec, a broken one or an unknown one. */
const UNDECODABLE: Record<string, Payload> = {
  'an unknown encoding': payload('binary/encrypted', bytes('{"batch":1}')),
  'a protobuf message': payload('binary/protobuf', Buffer.from([0x0a, 0xff, 0xff])),
  'broken JSON': payload('json/plain', bytes('{"batch":')),
  'bytes that are not UTF-8': payload('json/plain', Buffer.from([0xff, 0xfe, 0x00])),
  'plain bytes': payload('binary/plain', bytes('{"batch":1}')),
  'no bytes at all': payload('binary/plain', Buffer.alloc(0)),
  'no encoding': { data: bytes('{}') },
  'a cut gzip stream': payload('binary/gzip', gzipSync('{"batch":1}').subarray(0, 12)),
};

/** The operator's codec. Like real ones, it throws if it cannot decode. */
const flipping: PayloadCodec = {
  encode: (payloads) =>
    Promise.resolve(
      payloads.map((plain) =>
        payload(
          'binary/flipped',
          flip(
            bytes(
              JSON.stringify({
                encoding: text(plain.metadata?.['encoding']),
                data: Buffer.from(plain.data ?? []).toString('base64'),
              }),
            ),
          ),
        ),
      ),
    ),
  decode: (payloads) =>
    Promise.resolve(
      payloads.map((one) => {
        if (text(one.metadata?.['encoding']) !== 'binary/flipped') return one;
        const { encoding, data } = JSON.parse(text(flip(one.data))) as { encoding: string; data: string };
        return payload(encoding, Buffer.from(data, 'base64'));
      }),
    ),
};
const flip = (data: Uint8Array | null | undefined) => Uint8Array.from(data ?? [], (byte) => byte ^ 0x5a);
const text = (data: Uint8Array | null | undefined) => Buffer.from(data ?? []).toString();

describe.each([
  ['without a codec', undefined],
  ['with the codec of the operator', [flipping]],
])('a message that cannot be decoded, %s', (_, payloadCodecs) => {
  const cases = payloadCodecs
    ? { ...UNDECODABLE, 'bytes that break the codec': payload('binary/flipped', bytes('not flipped')) }
    : UNDECODABLE;
  let harness: Harness;
  const begun: string[] = [];
  const held = gateway();
  beforeAll(async () => {
    const { adapter } = countingTool(10);
    harness = await startHarness({
      adapters: [adapter],
      macros: macrosOf([tool('hold', z.strictObject({}), () => held.opened)]),
      ...(payloadCodecs && { dataConverter: { payloadCodecs } }),
    });
  });
  afterAll(() => harness.close());

  const signal = (workflowId: string, signalName: string, input: Payload) =>
    harness.client.workflowService.signalWorkflowExecution({
      namespace: 'default',
      workflowExecution: { workflowId },
      signalName,
      input: { payloads: [input] },
      requestId: randomUUID(),
    });
  const start = async (type: string, input: Payload): Promise<string> => {
    const workflowId = `undecodable-${randomUUID()}`;
    begun.push(workflowId);
    await harness.client.workflowService.startWorkflowExecution({
      namespace: 'default',
      workflowId,
      workflowType: { name: type },
      taskQueue: { name: harness.taskQueue },
      input: { payloads: [input] },
      requestId: randomUUID(),
    });
    return workflowId;
  };

  it('is a recorded refusal of a confirmation, and the operation goes on', async () => {
    const { operation_id: id } = await harness.start({ batch_size: 5 });
    begun.push(id);
    for (const input of Object.values(cases)) {
      await signal(id, 'continue', input);
      await signal(id, 'cancel', input);
    }
    await signal(id, '__temporal_unknown', UNDECODABLE['broken JSON']!);
    await signal(id, 'unknown', UNDECODABLE['broken JSON']!);
    const { state, processed, confirmations } = await harness.status(id);
    expect({ state, processed }).toEqual({ state: 'awaiting_confirmation', processed: 0 });
    expect(confirmations).toHaveLength(2 * Object.keys(cases).length);
    for (const one of confirmations) {
      expect(one).toMatchObject({
        outcome: 'INVALID_INPUT',
        via: 'signal',
        note: expect.stringContaining('cannot be decoded') as string,
      });
    }
    await confirmOpen(harness.client, id);
    expect(await confirmOpen(harness.client, id)).toMatchObject({
      state: 'completed',
      succeeded: 10,
    });
  });

  it.each(['bulkOperation', 'macro', 'taskRun'])('is a refused start of a %s', async (type) => {
    for (const input of Object.values(cases)) {
      const result: unknown = await harness.client.workflow.getHandle(await start(type, input)).result();
      expect(result).toMatchObject({
        state: 'rejected',
        error: { code: 'INVALID_INPUT', message: expect.stringContaining('cannot be decoded') as string },
      });
    }
  });

  it('is refused too if it holds a number that a double cannot hold', async () => {
    const held = payload('json/plain', bytes('{"batch":9007199254740993,"params":{"n":[1e400]}}'));
    for (const type of ['bulkOperation', 'macro', 'taskRun']) {
      const result: unknown = await harness.client.workflow.getHandle(await start(type, held)).result();
      expect(result).toMatchObject({
        state: 'rejected',
        error: {
          code: 'INVALID_INPUT',
          message: expect.stringContaining('the number 9007199254740993, which cannot be kept') as string,
          hint: expect.stringContaining('Write it as text: "9007199254740993"') as string,
        },
      });
    }
    const { operation_id: id } = await harness.start({ batch_size: 5 });
    begun.push(id);
    await signal(id, 'continue', held);
    await signal(id, 'cancel', payload('json/plain', bytes('{"reason":1e400}')));
    const { state, confirmations } = await harness.status(id);
    expect(state).toBe('awaiting_confirmation');
    expect(confirmations.map(({ note }) => note)).toEqual([
      expect.stringContaining('the number 9007199254740993'),
      expect.stringContaining('the number 1e400'),
    ]);
  });

  it('is ignored by the sentinel, which still admits jobs', async () => {
    await touch(harness.client, {}, harness.taskQueue);
    const id = sentinelId(harness.taskQueue);
    for (const input of Object.values(cases)) {
      await signal(id, 'touch', input);
      await signal(id, 'release', input);
    }
    const { state } = await harness.start({});
    expect(state).toBe('awaiting_confirmation');
  });

  it('does not change macros and task runs', async () => {
    const options = { task_queue: harness.taskQueue };
    const task = await startTaskRun(harness.client, { goal: 'count' }, options);
    const steps: Step[] = [{ type: 'command', command: 'hold' }];
    const run = await startMacro(harness.client, { macro: { name: 'main', steps } }, options);
    for (const input of Object.values(cases)) {
      await signal(task.task_run_id, 'anything', input);
      await signal(run.run_id, 'anything', input);
    }
    held.open();
    expect(await awaitMacro(harness.client, run.run_id)).toMatchObject({ state: 'completed' });
    expect(await getTaskRun(harness.client, task.task_run_id)).toMatchObject({ state: 'running' });
  });

  it('replays to the same refusals', async () => {
    expect(await unreplayableOf(harness.client, begun, payloadCodecs && { payloadCodecs })).toEqual([]);
  });

  it('is refused by an update and by a query', async () => {
    const { operation_id: id } = await harness.start({});
    const handle = harness.client.workflow.getHandle(id);
    expect(await codeOf(confirmOpen(harness.client, id, { exclude: [{ id: 'x'.repeat(501) }] }))).toBe(
      'INVALID_INPUT',
    );
    await expect(handle.query('items', new Uint8Array([1]))).rejects.toThrow('cannot be decoded');
    await expect(handle.executeUpdate('continue', { args: [new Uint8Array([1])] })).rejects.toMatchObject({
      cause: { type: 'INVALID_INPUT' },
    });
  });
});
