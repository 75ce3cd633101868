import fc from '../helpers/properties';
import { admitRequestSchema } from '../../src/contract/sentinel';
import { taskRunInputSchema, type RecordRequest } from '../../src/contract/task-run';
import { BatchgateError } from '../../src/contract/errors';
import { fingerprintOf, partsOf, withMarks } from '../../src/core/progress/fingerprints';
import {
  beginTaskRun,
  completeTaskRun,
  handedOn,
  parseTaskRunInput,
  recordOn,
  takenOver,
  taskRunStatus,
  type Carried,
} from '../../src/core/progress/task-run';
import { bytesOf, MAX_PAYLOAD_BYTES } from '../../src/core/shared/bounds';
import { inLongRun } from '../helpers/long-run';

/** The maximum size that Temporal accepts for all parts together. */
const MAX_TOGETHER = 2 * 1024 * 1024;
const shape = fc.record({
  letter: fc.constantFrom('x', '件', '😀', '"', '\u0007'),
  length: fc.constantFrom(1, 20, 495),
  reason: fc.constantFrom(0, 500),
  expected: fc.integer({ min: 1, max: 10_000 }),
  records: fc.array(fc.integer({ min: 0, max: 1_000 }), { minLength: 1, maxLength: 6 }),
});

it('keeps every payload of a task run below 256 KB, whatever the sizes, and loses nothing between two runs', () => {
  let largest = 0;
  fc.assert(
    fc.property(shape, ({ letter, length, reason, expected, records }) => {
      const item = (at: number) => `${at}${letter.repeat(length)}`;
      const input = {
        goal: letter.repeat(500),
        contract: {
          expected_total: 100,
          expected_items: Array.from({ length: expected }, (_, at) => item(at)),
        },
      };
      // A list of names that is too long is refused, and the message names the limit.
      const read = taskRunInputSchema.safeParse(input);
      const { contract: _, ...bare } = input;
      if (!read.success) expect(read.error.issues[0]?.message).toContain('65536 bytes; give expected_total');
      const given = parseTaskRunInput(read.success ? input : { ...bare, contract: { expected_total: 100 } });
      let run = beginTaskRun('task-1', given, 0);
      records.forEach((count, at) => {
        const entries = Array.from({ length: count }, (_, nth) => item(at * 1_000 + nth));
        const failed = entries.map((one) => ({ item: one, reason: letter.repeat(reason) }));
        const request: RecordRequest =
          [{ completed: entries }, { failed }, { skipped: failed }][at % 3] ?? {};
        run = recordOn(run, { ...request, cursor: letter.repeat(2_000) }, at);
        const carried = JSON.parse(JSON.stringify(handedOn(run))) as Carried;
        expect(takenOver(carried)).toEqual(run);
        const emitted = [...carried, taskRunStatus(run), taskRunStatus(run, { items: true })];
        largest = Math.max(largest, ...emitted.map(bytesOf), bytesOf(completeTaskRun(run, {}, 0).guard));
      });
    }),
    { seed: 20261123, numRuns: inLongRun(60, 10) },
  );
  expect(largest).toBeLessThanOrEqual(MAX_PAYLOAD_BYTES);
  expect(largest).toBeGreaterThan(150_000);
});

it('hands over a run of the maximum size in parts that Temporal accepts', () => {
  const many = Array.from({ length: 131_072 }, (_, at) => `https://site.test/page/${at}`);
  const run = recordOn(beginTaskRun('task-1', { goal: 'Visit' }, 0), { completed: many }, 1);
  const carried = handedOn(run);
  expect(carried.length).toBeGreaterThan(5);
  for (const part of carried) expect(bytesOf(part)).toBeLessThanOrEqual(MAX_PAYLOAD_BYTES);
  expect(bytesOf(carried)).toBeLessThan(MAX_TOGETHER);
  expect(takenOver(carried)).toEqual(run);
});

it('refuses ids that were chosen so that their fingerprints fill one payload', () => {
  const bucket = fingerprintOf('one more').slice(0, 2);
  const full = { [bucket]: 'AAAAAAAAAs'.repeat(4_000) };
  expect(partsOf(full)).toHaveLength(1);
  expect(() => withMarks(full, new Map([['one more', 's']]))).toThrow(BatchgateError);
});

it.each(['a\u0007b', 'half \ud83d'])('refuses a session that the sentinel would refuse: %j', (session_id) => {
  expect(() => parseTaskRunInput({ goal: 'read', session_id })).toThrow(
    'session_id: holds a control character or half of a surrogate pair',
  );
  expect(admitRequestSchema.shape.job.shape.session_id.safeParse(session_id).success).toBe(false);
});
