import { z } from 'zod';
import type { Store } from '../../src/postgres/store/open';
import { echo, gatewayTo } from '../helpers/tools';
import { openTestStore } from '../helpers/store';

const SECRET = 'the private words of a saved email';

let store: Store;
beforeAll(async () => {
  store = await openTestStore();
  await store.scratchpad.save('S', 'notes', { text: SECRET, from: ['ana', 'ben'] });
  await store.scratchpad.save('S', 'alias', 'ref:notes');
  await store.scratchpad.save('S', 'ids', ['a', 'b']);
});
afterAll(() => store.close());

describe('references', () => {
  it('are resolved at any depth for the handler alone, and references within the data are not resolved', async () => {
    const gateway = gatewayTo(store, [echo()]);
    const notes = { text: SECRET, from: ['ana', 'ben'] };
    expect(await gateway.call({ a: 'ref:notes', b: [{ c: 'ref:ids' }], d: 'see ref:ids' })).toEqual({
      ...{ a: notes, b: [{ c: ['a', 'b'] }], d: 'see ref:ids' },
    });
    expect(await gateway.call({ a: 'ref:alias' })).toEqual({ a: 'ref:notes' });
  });

  it('are only those in the fields that the caller names, if it names any', async () => {
    const gateway = gatewayTo(store, [echo()]);
    const args = { a: 'ref:ids', b: ['ref:ids', { 'c.d': 'ref:ids' }], c: { d: 'ref:nothing' } };
    const whole = ['a', 'b'];
    expect(await gateway.call(args, { references: [['b', 1, 'c.d']] })).toEqual({
      ...{ a: 'ref:ids', b: ['ref:ids', { 'c.d': whole }], c: { d: 'ref:nothing' } },
    });
    expect(await gateway.call(args, { references: [['a'], ['b', 0]] })).toMatchObject({
      a: whole,
      b: [whole, {}],
    });
    expect(await gateway.call(args, { references: [] })).toEqual(args);
    expect((await gateway.refused(args)).message).toContain('nothing is saved for ref:nothing');
  });

  it('never reach another session, nor work in a call without one', async () => {
    const gateway = gatewayTo(store, [echo()]);
    for (const session_id of ['T', undefined]) {
      const error = await gateway.refused({ a: 'ref:notes' }, {}, { session_id });
      expect(error).toMatchObject({
        details: { scenario: 'reference_missing', path: 'a', ref: 'ref:notes' },
      });
    }
    expect((await gateway.refused({ a: 'ref:__proto__' })).message).toContain('nothing is saved');
  });

  it('share one limit, however often one is used', async () => {
    await store.scratchpad.save('S', 'large', 'x'.repeat(900_000));
    const error = await gatewayTo(store, [echo()]).refused({ all: Array(5).fill('ref:large') });
    expect(error).toMatchObject({ details: { scenario: 'reference_too_large', path: 'all[4]' } });
  });

  it.each([
    ['a schema', echo({ args: z.object({ a: z.number() }) })],
    ['a schema of its fields', echo({ args: z.object({ a: z.strictObject({ text: z.email() }) }) })],
    [
      'a handler that quotes it',
      echo({ handler: (args) => Promise.reject(new Error(JSON.stringify(args))) }),
    ],
    ['a result that has another shape', echo({ output: z.record(z.string(), z.number()) })],
  ])('put none of their data into an error, for example of %s', async (_, tool) => {
    const { body } = await gatewayTo(store, [tool]).refused({ a: 'ref:notes' });
    expect(JSON.stringify(body)).not.toMatch(/private|words of|ana|"from|text/);
    expect(body.message).toMatch(/^\[(GATEWAY|TOOL) ERROR\] echo: /);
    expect(body.hint).toMatch(/^\[HINT\]: /);
  });

  it('put none into an error about the length of a field within it', async () => {
    await store.scratchpad.save('S', 'wide', { private_id: 'z'.repeat(200) });
    const { message } = await gatewayTo(store, [echo()]).refused({ row: 'ref:wide' });
    expect(message).toBe(
      '[GATEWAY ERROR] echo: row: a field in the data of ref:wide has 200 characters, of at most 150.',
    );
  });
});
