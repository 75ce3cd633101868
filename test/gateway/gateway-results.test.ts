import { z } from 'zod';
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
    const sent = answering(7n, { read_only: false });
    expect(await gatewayTo(store, [sent]).refused({})).toMatchObject({
      message: '[TOOL ERROR] echo: its result is not valid JSON. Its effect is unknown.',
      hint: '[HINT]: Look at what it may have changed before it is called again.',
      details: { outcome_unknown: true },
    });
  });
});
