import { z } from 'zod';
import type { ToolDatabase, ToolDefinition } from '../../src/contract/tools';
import type { Store } from '../../src/postgres/store/open';
import { echo, gatewayTo } from '../helpers/tools';
import { openTestStore } from '../helpers/store';

let store: Store;
beforeAll(async () => {
  store = await openTestStore();
});
afterAll(() => store.close());

describe('a result', () => {
  const answering = (value: unknown, more = {}) => echo({ handler: () => Promise.resolve(value), ...more });

  it('within the limit is unchanged, and a larger one is cut in an envelope that says what is missing', async () => {
    const rows = Array.from({ length: 100 }, (_, n) => ({ n, text: 'x'.repeat(50) }));
    expect(await gatewayTo(store, [answering({ rows })]).call({})).toEqual({ rows });
    const cut = (await gatewayTo(store, [answering({ total: 100, rows })], {
      op_tool_output_limit_tokens: 500,
    }).call({})) as { truncated: boolean; marker: string; result: { total: number; rows: unknown[] } };
    expect(JSON.stringify(cut).length).toBeLessThanOrEqual(2_000);
    expect(cut.truncated).toBe(true);
    expect(cut.result.total).toBe(100);
    expect(cut.result.rows).toEqual(rows.slice(0, cut.result.rows.length));
    expect(cut.result.rows.length).toBeGreaterThan(15);
    expect(cut.marker).toMatch(
      /^\[TRUNCATED\] The result had \d+ characters, of at most 2000 \(500 tokens\)\. /,
    );
    expect(cut.marker).toContain(`rows: ${cut.result.rows.length} of 100 elements.`);
  });

  it('is the part that JSON can carry, in the shape of its schema', async () => {
    const at = new Date('2026-11-22T00:00:00Z');
    expect(await gatewayTo(store, [answering({ at, gone: undefined })]).call({})).toEqual({
      at: at.toJSON(),
    });
    expect(await gatewayTo(store, [answering(undefined)]).call({})).toBeNull();
    const output = z.object({ rows: z.array(z.object({ n: z.number() })) });
    const odd = answering({ rows: [{ n: 'hidden' }] }, { output });
    expect((await gatewayTo(store, [odd]).refused({})).message).toBe(
      '[TOOL ERROR] echo: its result does not fit its schema (rows[0].n: expected number).',
    );
    expect((await gatewayTo(store, [answering(7n)]).refused({})).message).toBe(
      '[TOOL ERROR] echo: its result is not valid JSON.',
    );
    for (const n of [Infinity, -Infinity, NaN])
      expect((await gatewayTo(store, [answering({ rows: [{ n }] })]).refused({})).message).toBe(
        '[TOOL ERROR] echo: its result holds a number that is not finite.',
      );
    const sent = answering(7n, { read_only: false });
    expect(await gatewayTo(store, [sent]).refused({})).toMatchObject({
      message: '[TOOL ERROR] echo: its result is not valid JSON. Its effect is unknown.',
      hint: '[HINT]: Look at what it may have changed before it is called again.',
      details: { outcome_unknown: true },
    });
  });
});

describe('a failure of an attempt after an earlier one', () => {
  const UNKNOWN = 'An earlier attempt failed or was lost, so its effect is unknown.';
  const other = echo({ name: 'other' });
  const failing = (more = {}) =>
    echo({ fallback: 'other', handler: () => Promise.reject(new Error('It is full.')), ...more });
  const repeated = (tool: ToolDefinition, args = {}) =>
    gatewayTo(store, [tool, other]).refused(args, {}, { repeated: true });

  it('leaves the effect of a tool that changes data unknown, and names no fallback', async () => {
    const { message, details } = await repeated(failing({ read_only: false }));
    expect(message).toBe(`[TOOL ERROR] echo: It is full. ${UNKNOWN}`);
    expect(details).toMatchObject({ scenario: 'outcome_unknown', outcome_unknown: true });
  });

  it('does so if this attempt was not made at all, because its data is gone', async () => {
    const { message } = await repeated(echo({ read_only: false }), { list: 'ref:gone' });
    expect(message).toMatch(
      /^\[TOOL ERROR\] echo: list: nothing is saved for ref:gone. An earlier attempt failed or was lost/,
    );
  });

  it('is known in a transaction, which is rolled back, as is an unfit result there', async () => {
    const work = { read_only: false, transactional: true };
    const within = { database: {} as ToolDatabase, repeated: true };
    const refused = (tool: ToolDefinition) =>
      gatewayTo(store, [tool, other]).refused({}, { caller: 'macro' }, within);
    const unfit = echo({ ...work, handler: () => Promise.resolve(7n) });
    for (const tool of [failing(work), unfit])
      expect((await refused(tool)).details).not.toHaveProperty('outcome_unknown');
  });

  it('is known if the tool changes nothing', async () => {
    expect((await repeated(failing())).message).toBe('[TOOL ERROR] echo: It is full. Its fallback is other.');
  });
});

it('says that a call was not made if the scratchpad cannot be read', async () => {
  const scratchpad = { ...store.scratchpad, read: () => Promise.reject(new Error('the database is away')) };
  const gateway = gatewayTo({ scratchpad }, [echo({ read_only: false })]);
  expect(await gateway.refused({ list: 'ref:list' })).toMatchObject({
    message: '[TOOL ERROR] echo: not called, because the scratchpad cannot be read.',
    body: { code: 'INTERNAL' },
  });
});
