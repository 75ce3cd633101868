import { BatchgateError, HTTP_STATUS, parseInput } from '../../src/contract/errors';
import { bulkItemSchema, MAX_RAW_DATA_BYTES, utf8Length } from '../../src/contract/items';
import {
  cancelRequestSchema,
  completeRequestSchema,
  continueRequestSchema,
  extendRequestSchema,
  itemsRequestSchema,
  pageRequestSchema,
  resolveRequestSchema,
} from '../../src/contract/messages';
import { bulkStatusSchema, bulkTurnSchema } from '../../src/contract/operation';
import { bulkProgressContractSchema, completionGuardResultSchema } from '../../src/contract/progress';
import { DEFAULT_SETTINGS } from '../../src/contract/settings';
import { bulkContract, bulkGuard } from '../../src/core/bulk/contract-progress';
import { fromFailureFields, toFailureFields } from '../../src/core/shared/failures';
import {
  limitError,
  parseOperationInput,
  parseRecordedInput,
  tooMany,
  withoutDuplicates,
} from '../../src/core/bulk/input';
import { itemsOfRows } from '../../src/host/items/item-list';
import { jsonItems } from '../../src/host/items/json-items';
import { tableItems } from '../../src/host/items/table-items';
import { closeAs } from '../../src/core/bulk/lifecycle';
import { statusOf, turnOf } from '../../src/core/bulk/view';
import { emails, planned, preparing, ran, running, START } from './lifecycle.fixtures';

const BASE = { domain: 'gmail', action: 'label', params: { sender: 'ana' } };

function refusalOf(work: () => unknown): BatchgateError {
  try {
    work();
  } catch (error) {
    if (error instanceof BatchgateError) return error;
    throw error;
  }
  throw new Error('it was not refused');
}

/** Lists nested to this many levels. */
const nested = (levels: number) => JSON.parse('['.repeat(levels) + ']'.repeat(levels)) as unknown;

describe('the input of an operation', () => {
  it('has no id of blanks when it starts, and keeps one that runs', async () => {
    const items = [{ id: 'a' }, { id: ' \u00a0' }];
    const input = { ...BASE, params: undefined, items };
    expect(parseRecordedInput(input).items).toHaveLength(2);
    expect(refusalOf(() => parseOperationInput(input))).toMatchObject({
      code: 'INVALID_INPUT',
      message: expect.stringContaining('items.1.id') as string,
    });
    const table = await tableItems(Buffer.from('id,name\na,b\n" ",c\n'));
    expect(() => itemsOfRows(table, 10)).toThrow('line 3, column A “id”: the id consists of blanks');
    expect(() => itemsOfRows(jsonItems(Buffer.from('{"id":" "}')), 10)).toThrow('line 1, column 7: the id');
  });

  it('accepts values up to the maximum depth', () => {
    const params = { body: nested(63) };
    expect(parseOperationInput({ ...BASE, params })).toMatchObject({ params });
  });

  it('defaults to ten per batch and one hour', () => {
    expect(parseOperationInput(BASE)).toEqual({ ...BASE, batch_size: 10, idle_timeout_seconds: 3_600 });
  });

  it('names items after their ids, and accepts each id once, at its first place', () => {
    const items = [{ id: 'b' }, { id: 'a', display_name: 'A' }, { id: 'b', display_name: 'again' }];
    expect(parseOperationInput({ domain: 'gmail', action: 'label', items }).items).toEqual([
      { id: 'b', display_name: 'b' },
      { id: 'a', display_name: 'A' },
    ]);
  });

  it('refuses an id that is repeated with other data, and accepts one with the same data', () => {
    const item = (id: string, raw_data?: object) => ({ id, ...(raw_data && { raw_data }) });
    const input = (...items: object[]) => ({ domain: 'sql', action: 'insert', items });
    const same = input(item('a', { n: 1, m: [2] }), item('b'), item('a', { m: [2], n: 1 }));
    expect(parseOperationInput(same).items).toHaveLength(2);
    for (const data of [{ n: 2 }, {}, undefined]) {
      const other = input(item('b'), item('a', { n: 1 }), item('a', data));
      expect(refusalOf(() => parseOperationInput(other)).body).toMatchObject({
        code: 'INVALID_INPUT',
        message: 'items[2] repeats the id “a” of items[1], with other raw_data.',
        hint: 'Leave one of them out.',
      });
      // An operation that began with such an input continues with the items that it has planned.
      expect(parseRecordedInput(other).items).toMatchObject([{ id: 'b' }, item('a', { n: 1 })]);
    }
  });

  it.each<[string, unknown, string]>([
    ['nothing', undefined, 'The bulk operation is not valid'],
    ['neither a query nor items', { domain: 'gmail', action: 'label' }, 'Neither params'],
    ['empty params and no items', { ...BASE, params: {} }, 'Neither params'],
    ['an empty list of items', { ...BASE, items: [] }, 'items'],
    ['an item without an id', { ...BASE, items: [{ display_name: 'x' }] }, 'items[0].id'],
    ['an item with an empty id', { ...BASE, items: [{ id: 'a' }, { id: '' }] }, 'items[1].id'],
    ['no domain', { ...BASE, domain: '' }, 'domain'],
    ['half a batch size', { ...BASE, batch_size: 7.5 }, 'batch_size'],
    ['a batch size in words', { ...BASE, batch_size: '10' }, 'batch_size'],
    ['no time at all', { ...BASE, idle_timeout_seconds: 0 }, 'idle_timeout_seconds'],
    ['a threshold past one', { ...BASE, failure_threshold: 1.1 }, 'failure_threshold'],
    ['a malformed contract', { ...BASE, contract: { expected_total: -1 } }, 'contract.expected_total'],
    ['an unknown policy', { ...BASE, contract: { failed_policy: 'maybe' } }, 'contract.failed_policy'],
    ['a field that is not there', { ...BASE, batchsize: 10 }, 'batchsize'],
    ['a NUL in an id', { ...BASE, items: [{ id: 'a' }, { id: 'b\0' }] }, 'items[1].id: holds a control'],
    ['a line break in an id', { ...BASE, items: [{ id: 'a\nb' }] }, 'items[0].id: holds a control'],
    ['half of an emoji in an id', { ...BASE, items: [{ id: '\ud83d' }] }, 'half of a surrogate pair'],
    ['a NUL in a name', { ...BASE, items: [{ id: 'a', display_name: '\0' }] }, 'display_name: holds a NUL'],
    [
      'raw data that are one level too deep',
      { ...BASE, items: [{ id: 'a', raw_data: { x: nested(64) } }] },
      'raw_data: is nested deeper than 64 levels',
    ],
    [
      'raw data of 200,000 levels',
      { ...BASE, items: [{ id: 'a', raw_data: { x: nested(200_000) } }] },
      'raw_data: is nested deeper than 64 levels',
    ],
    [
      'a body of 3,000 levels',
      { ...BASE, params: { body: nested(3_000) } },
      'params: is nested deeper than 64 levels',
    ],
    [
      'a NUL in raw data',
      { ...BASE, items: [{ id: 'a', raw_data: { x: ['\0'] } }] },
      'raw_data: holds a NUL',
    ],
    ['a NUL in params', { ...BASE, params: { a: { b: 'c\\\0' } } }, 'params holds a NUL'],
    ['a tab in a session', { ...BASE, session_id: 'a\tb' }, 'session_id: holds a control'],
    ['params that are too large', { ...BASE, params: { q: 'x'.repeat(17_000) } }, '16 KiB'],
  ])('is refused with %s, and the mistake is named', (_, value, named) => {
    const refusal = refusalOf(() => parseOperationInput(value));
    expect(refusal.code).toBe('INVALID_INPUT');
    expect(refusal.message).toContain(named);
    expect(refusal.hint).toMatch(/\w+ \w+/);
  });

  it('keeps line breaks in names, and text that only looks like a NUL', () => {
    const items = [{ id: 'a', display_name: 'one\ntwo 👍', raw_data: { path: 'C:\\u0000' } }];
    expect(parseOperationInput({ ...BASE, items, params: { path: '\\u0000' } })).toMatchObject({ items });
  });

  it.each([5, 10, 20])('keeps a batch size within the limits: %d', (batch_size) => {
    expect(limitError(parseOperationInput({ ...BASE, batch_size }), DEFAULT_SETTINGS)).toBeUndefined();
  });

  it.each([0, 1, 4, 21, 200, -10])('refuses a batch size outside the limits: %d', (batch_size) => {
    expect(limitError(parseOperationInput({ ...BASE, batch_size }), DEFAULT_SETTINGS)).toMatchObject({
      code: 'INVALID_INPUT',
      message: `batch_size is ${batch_size}, and a batch has 5 to 20 items.`,
    });
  });

  it('refuses more items than one operation takes, found or given, in the published words', () => {
    expect(tooMany(743, 200)).toMatchObject({
      code: 'TOO_MANY_ITEMS',
      message: '743 items match, and one bulk operation takes at most 200. Please narrow the request.',
    });
    expect(tooMany(200, 200)).toBeUndefined();
    const given = parseOperationInput({ domain: 'gmail', action: 'label', items: emails(201) });
    expect(limitError(given, DEFAULT_SETTINGS)).toMatchObject({ code: 'TOO_MANY_ITEMS' });
  });

  it('counts each given id once against the limit', () => {
    const twice = [...emails(150), ...emails(150)];
    const given = parseOperationInput({ domain: 'gmail', action: 'label', items: twice });
    expect(limitError(given, DEFAULT_SETTINGS)).toBeUndefined();
    expect(withoutDuplicates(twice)).toEqual(emails(150));
  });
});

describe('the messages', () => {
  it.each([{}, { batch: 1 }, { decision_id: 'd', by: 'ana', note: 'go', exclude: [{ id: 'a' }] }])(
    'accept every form of a confirmation: %j',
    (request) => {
      expect(continueRequestSchema.parse(request)).toEqual(request);
    },
  );

  it.each([
    [continueRequestSchema, { batch: 0 }],
    [continueRequestSchema, { batch: '1' }],
    [continueRequestSchema, { batches: 1 }],
    [continueRequestSchema, { decision_id: '' }],
    [continueRequestSchema, { by: 'ana\nben' }],
    [continueRequestSchema, { note: 'a\0' }],
    [cancelRequestSchema, { reason: 'a\0' }],
    [continueRequestSchema, { exclude: ['a'] }],
    [continueRequestSchema, 'yes'],
    [cancelRequestSchema, { batch: 1 }],
    [completeRequestSchema, { force: 'yes' }],
    [extendRequestSchema, {}],
    [extendRequestSchema, { seconds: 0 }],
    [extendRequestSchema, { seconds: 1e12 }],
    [resolveRequestSchema, { item_id: 'a', outcome: 'skipped', reason: 'x' }],
    [resolveRequestSchema, { item_id: 'a', outcome: 'failed', reason: '' }],
    [pageRequestSchema, { offset: -1 }],
    [pageRequestSchema, { limit: 0 }],
    [itemsRequestSchema, { outcome: 'lost' }],
  ])('refuse invalid values, before anything is done: %#', (schema, value) => {
    expect(refusalOf(() => parseInput(schema, value, 'The message')).code).toBe('INVALID_INPUT');
  });
});

describe('an item', () => {
  it('carries a limited amount of the data that the adapter needs', () => {
    const rawData = (bytes: number) => ({ id: 'a', display_name: '', raw_data: { d: 'x'.repeat(bytes) } });
    expect(bulkItemSchema.safeParse(rawData(MAX_RAW_DATA_BYTES - 8)).success).toBe(true);
    expect(bulkItemSchema.safeParse(rawData(MAX_RAW_DATA_BYTES - 7)).success).toBe(false);
  });

  it.each(['', 'a', 'é', '€', '😀', 'e\u0301 und 漢字'])('is measured in UTF-8 bytes: "%s"', (text) => {
    expect(utf8Length(text)).toBe(Buffer.byteLength(text, 'utf8'));
  });
});

describe('an error', () => {
  const error = new BatchgateError('STALE_CONFIRMATION', 'm', 'h', { batch: 1 });

  it('has one shape on the wire', () => {
    expect(JSON.parse(JSON.stringify(error))).toEqual({
      error: { code: 'STALE_CONFIRMATION', message: 'm', hint: 'h', details: { batch: 1 } },
    });
    expect(JSON.parse(JSON.stringify(new BatchgateError('INTERNAL', 'm', 'h')))).toEqual({
      error: { code: 'INTERNAL', message: 'm', hint: 'h' },
    });
  });

  it.each(Object.keys(HTTP_STATUS))('survives a failure of Temporal whole: %s', (code) => {
    const body = { code: code as keyof typeof HTTP_STATUS, message: 'm', hint: 'h', details: { a: [1] } };
    expect(fromFailureFields(toFailureFields(body))).toEqual(body);
    expect(BatchgateError.from(body).body).toEqual(body);
  });

  it('is not made from a foreign failure', () => {
    expect(fromFailureFields({ type: 'TypeError', message: 'm' })).toBeUndefined();
    expect(fromFailureFields({ message: 'm' })).toBeUndefined();
  });
});

describe('the answers of an operation', () => {
  const forced = { reason: 'enough', at: '2026-11-21T12:00:00.000Z' };
  const held = ran(planned(5, { contract: { failed_policy: 'block', stop_condition: 'end' } }), 'sfdss');
  it.each([
    ['preparing', preparing()],
    ['the first question', planned(30, { session_id: 's', failure_threshold: 0.2 })],
    ['a running batch', running(planned(30), { exclude: [{ id: 'm1' }] })],
    ['a later question', ran(planned(30), 'ssfdksssss')],
    ['a failed batch', ran(planned(30), 'ssfdpppppp')],
    ['a held operation', held],
    ['a completed one', ran(planned(5))],
    ['a forced one', closeAs(held, 'completed', START, forced)],
    ['an empty one', planned(0)],
    ['a cancelled one', closeAs(planned(30), 'cancelled', START)],
  ])('match the contract, also as JSON: %s', (_, state) => {
    const plain = <T>(value: T): unknown => JSON.parse(JSON.stringify(value));
    expect(bulkStatusSchema.parse(plain(statusOf(state)))).toEqual(plain(statusOf(state)));
    expect(bulkTurnSchema.parse(plain(turnOf(state)))).toEqual(plain(turnOf(state)));
    expect(bulkProgressContractSchema.parse(plain(bulkContract(state)))).toEqual(plain(bulkContract(state)));
    const guard = plain(bulkGuard(state, { items: true }));
    expect(completionGuardResultSchema.parse(guard)).toEqual(guard);
  });

  it('are short for an update: no items, errors, confirmations or guard', () => {
    const turn = turnOf(ran(planned(30), 'fssssssssd'));
    for (const field of ['errors', 'confirmations', 'guard']) expect(turn).not.toHaveProperty(field);
    expect(turn.next_batch).not.toHaveProperty('items');
  });
});
