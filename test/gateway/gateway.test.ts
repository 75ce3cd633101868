import { z } from 'zod';
import { BatchgateError } from '../../src/contract/errors';
import { ProviderFailure } from '../../activities/adapters/shared/failure';
import { knownSecrets } from '../../src/host/secrets';
import type { Store } from '../../src/postgres/store/open';
import { createTools } from '../../src/worker/tools';
import { echo, gatewayTo } from '../helpers/tools';
import { openTestStore } from '../helpers/store';

let store: Store;
beforeAll(async () => {
  store = await openTestStore();
});
afterAll(() => store.close());

/** Names that a clamp goes by, with values above it. */
const FREE = {
  ...{ limit: 5_000, page_size: 1_000, max_results: 300 },
  deep: [{ limit: 5_000, body: { name: 'n'.repeat(501), id: 'i'.repeat(151) } }],
};
const never = () => new Promise<never>(() => undefined);
const unused = () => {
  throw new Error('These tools are not called');
};
const strict = echo({ args: z.strictObject({ to: z.string(), tags: z.array(z.string()).optional() }) });
const failing = (thrown: unknown, tool = {}) =>
  echo({ ...tool, handler: () => Promise.reject(thrown as Error) });

describe('the error and hint lookup table, word for word', () => {
  it.each([
    ['Missing Parameter', {}, '[GATEWAY ERROR] echo: to: is missing.', '[HINT]: This field is mandatory.'],
    [
      'Type Mismatch (String)',
      { to: 7 },
      '[GATEWAY ERROR] echo: to: Invalid input: expected string, received number.',
      '[HINT]: Enclose the value in quotes.',
    ],
    [
      'Type Mismatch (Array)',
      { to: 'ana', tags: 'urgent' },
      '[GATEWAY ERROR] echo: tags: Invalid input: expected array, received string.',
      '[HINT]: Use [item1, item2] format.',
    ],
    [
      'Reference Missing',
      { to: 'ref:nothing' },
      '[GATEWAY ERROR] echo: to: nothing is saved for ref:nothing.',
      "[HINT]: Save data to scratchpad first or check if you used the correct 'ref:key'.",
    ],
  ])('%s', async (_, args, message, hint) => {
    const { body } = await gatewayTo(store, [strict]).refused(args);
    expect(body).toMatchObject({ code: 'TOOL_FAILED', message, hint });
  });

  const NOT_FOUND =
    '[HINT]: Verify the tool name or check if the required category was requested during meta-routing.';

  it('Tool Not Found, if it is not registered and if its category was not requested', async () => {
    const gateway = gatewayTo(store, [strict]);
    expect((await gateway.refused({}, { tool: 'constructor' })).body).toMatchObject({
      message: "[GATEWAY ERROR] There is no tool 'constructor'.",
      hint: NOT_FOUND,
    });
    expect((await gateway.refused({ to: 'x' }, { categories: ['web'] })).body).toMatchObject({
      message: "[GATEWAY ERROR] The tool echo is of the category 'test', which was not requested.",
      hint: NOT_FOUND,
    });
    expect(await gateway.call({ to: 'x' }, { categories: ['web', 'test'] })).toEqual({ to: 'x' });
  });

  it('calls no handler for a refused call', async () => {
    let calls = 0;
    const handler = () => Promise.resolve((calls += 1));
    const gateway = gatewayTo(store, [
      echo({ args: strict.args, handler }),
      echo({ name: 'other', handler }),
    ]);
    const refused: Parameters<typeof gateway.refused>[] = [
      [{}],
      [{ to: 7 }],
      [{ to: 'ana', tags: 'urgent' }],
      [{ to: 'ref:nothing' }],
      [{ to: 'ana' }, { tool: 'nope' }],
      [{ to: 'ana' }, { categories: ['web'] }],
      [{ to: 'ana', id: 'x'.repeat(151) }],
    ];
    for (const call of refused)
      expect((await gateway.refused(...call)).message).toMatch(/^\[GATEWAY ERROR\] /);
    expect(calls).toBe(0);
    expect(await gateway.call({ to: 'ana' })).toBe(1);
  });

  it('Execution Failure, with the fallback', async () => {
    const tools = [
      failing(new Error('404 on\nthe other side'), { fallback: 'other' }),
      echo({ name: 'other' }),
    ];
    expect((await gatewayTo(store, tools).refused({})).body).toEqual({
      code: 'TOOL_FAILED',
      message: '[TOOL ERROR] echo: 404 on the other side. Its fallback is other.',
      hint: '[HINT]: Check if parameters are correct or try an alternative tool.',
      details: { scenario: 'execution_failure', tool: 'echo', fallback: 'other' },
    });
  });

  it('Undefined Tool, if it is registered but not offered to this caller', async () => {
    const gateway = gatewayTo(store, [echo({ callers: ['assistant'] })]);
    expect((await gateway.refused({}, { caller: 'macro' })).body).toMatchObject({
      message: '[TOOL ERROR] The tool echo is not offered here.',
      hint: '[HINT]: Use only tools available in your schema.',
    });
    expect(await gateway.call({}, { caller: 'assistant' })).toEqual({});
  });
});

describe('arguments', () => {
  const args = z.object({
    rows: z.array(z.object({ id: z.string(), n: z.number() })),
    deep: z.boolean().optional(),
    either: z.union([z.number().max(0), z.string(), z.object({ text: z.string() })]).optional(),
    mode: z.enum(['on', 'off']).optional(),
  });

  it.each([
    [
      {
        rows: [
          { id: 'a', n: 1 },
          { id: 'b', n: '2' },
        ],
      },
      'rows[1].n',
      '[HINT]: Give a number without quotes.',
    ],
    [{ rows: [{ id: 'a', n: 1 }, { n: 2 }] }, 'rows[1].id', '[HINT]: This field is mandatory.'],
    [{ rows: ['a'] }, 'rows[0]', '[HINT]: Use {"field": value} format.'],
    [{ rows: [], deep: 'false' }, 'deep', '[HINT]: Use true or false, without quotes.'],
    [{ rows: [], rwos: [] }, 'rwos', "[HINT]: Use only the fields of the tool's schema."],
    [{ rows: [], either: { text: 7 } }, 'either.text', '[HINT]: Enclose the value in quotes.'],
    [{ rows: [], either: {} }, 'either.text', '[HINT]: This field is mandatory.'],
    [{ rows: [], either: true }, 'either', '[HINT]: Enclose the value in quotes.'],
    [{ rows: [], mode: 7 }, 'mode', '[HINT]: Enclose the value in quotes.'],
  ])('that are invalid are refused with the path of the mistake: %j', async (given, path, hint) => {
    const error = await gatewayTo(store, [echo({ args })]).refused(given);
    expect(error).toMatchObject({ hint, details: { path, tool: 'echo' } });
    expect(error.message).toMatch(`[GATEWAY ERROR] echo: ${path}: `);
  });

  it('are quoted only in part where they are large', async () => {
    const { message, details } = await gatewayTo(store, [echo({ args })]).refused({
      rows: [],
      ['x'.repeat(5_000)]: 1,
    });
    expect(message).toBe(`[GATEWAY ERROR] echo: ${'x'.repeat(199)}…: there is no such field.`);
    expect(details).toMatchObject({ path: `${'x'.repeat(199)}…` });
  });

  it('of ids, keys, titles and names that are too long are refused, by field name or by annotation', async () => {
    const annotated = z.looseObject({
      code: z.string().optional().meta({ clamp: 'id' }),
      name: z.string().meta({ clamp: 'none' }).optional(),
    });
    const gateway = gatewayTo(store, [echo({ args: annotated })]);
    for (const [field, most] of [
      ...[
        ['id', 150],
        ['boardId', 150],
        ['key', 150],
        ['item_key', 150],
        ['code', 150],
      ],
      ...[
        ['title', 500],
        ['display_name', 500],
      ],
    ] as [string, number][]) {
      const error = await gateway.refused({ [field]: 'x'.repeat(most + 1) });
      expect(error.message).toBe(
        `[GATEWAY ERROR] echo: ${field}: it has ${most + 1} characters, of at most ${most}.`,
      );
      expect(error.hint).toMatch(/^\[HINT\]: Shorten it/);
      expect(await gateway.call({ [field]: 'x'.repeat(most) })).toEqual({ [field]: 'x'.repeat(most) });
    }
    expect((await gateway.refused({ row: { card_ids: ['x', 'y'.repeat(151)] } })).message).toContain(
      'row.card_ids[1]: it has 151',
    );
    expect((await gatewayTo(store, [echo()]).refused({ name: 'n'.repeat(501) })).message).toContain(
      'of at most 500',
    );
    await gateway.call({ name: 'n'.repeat(501), body: 'b'.repeat(9_000), idea: 'i'.repeat(151) });
  });

  it('that limit a number are lowered to what the operator and the schema allow', async () => {
    const limited = echo({ args: z.looseObject({ page_size: z.number().max(50).optional() }) });
    const gateway = gatewayTo(store, [limited], { maxLimit: 100 });
    expect(await gateway.call({ limit: 5_000, max_results: 7, page_size: 70, credit_limit: 9_000 })).toEqual({
      ...{ limit: 100, max_results: 7, page_size: 50, credit_limit: 9_000 },
    });
  });

  it.each<[string, string, unknown]>([
    ['start_bulk_operation', 'params', FREE],
    ['start_bulk_operation', 'items', [{ id: 'a', raw_data: FREE }]],
    ['start_bulk_operation', 'metadata', FREE],
    [
      'propose_macro',
      'macro',
      { name: 'm', steps: [{ type: 'command', command: 'sql_insert', args: { rows: [FREE] } }] },
    ],
    ['propose_macro', 'args', FREE],
    ['sql_insert', 'rows', [FREE]],
    ['sql_update', 'set', FREE],
    ['scratchpad_save', 'value', FREE],
  ])('of %s that are free data arrive unchanged: %s', async (name, field, value) => {
    const schema = createTools(unused).find(name)?.args.partial() as z.ZodObject;
    const gateway = gatewayTo(store, [echo({ name, args: schema })]);
    expect(await gateway.call({ [field]: value })).toEqual({ [field]: value });
  });

  it('that contain themselves, are nested too deep, or change an object’s prototype are refused', async () => {
    const gateway = gatewayTo(store, [echo()]);
    const round: Record<string, unknown> = {};
    round['again'] = { round };
    expect((await gateway.refused(round)).message).toBe('[GATEWAY ERROR] echo: again.round contains itself.');
    let deep: unknown = 'x';
    for (let level = 0; level < 100; level += 1) deep = [deep];
    expect((await gateway.refused({ deep })).message).toContain('nested deeper than 64 levels');
    const evil = JSON.parse('{"a": {"__proto__": {"polluted": true}}}') as Record<string, unknown>;
    expect(await gateway.refused(evil)).toMatchObject({
      message: expect.stringContaining('a.__proto__ is no name for a field') as string,
      hint: expect.stringContaining('without a field named __proto__') as string,
    });
  });
});

describe('a call', () => {
  it('ends at its deadline, even if the tool does not stop, and says that the effect is unknown', async () => {
    let heard = false;
    const deaf = echo({
      read_only: false,
      handler: (_, { signal }) => {
        signal.addEventListener('abort', () => (heard = true));
        return never();
      },
    });
    const error = await gatewayTo(store, [deaf]).refused({}, {}, { deadline: Date.now() + 30 });
    expect(heard).toBe(true);
    expect(error).toMatchObject({
      message: '[TOOL ERROR] echo: it did not answer in time. Its effect is unknown.',
      details: { outcome_unknown: true },
    });
    const reading = await gatewayTo(store, [echo({ handler: never })]).refused(
      {},
      {},
      { deadline: Date.now() + 30 },
    );
    expect(reading.details).not.toHaveProperty('outcome_unknown');
  });

  it('that is cancelled ends at once, and a late one does not begin', async () => {
    const cancel = new AbortController();
    let calls = 0;
    const handler = () => {
      calls += 1;
      cancel.abort();
      return never();
    };
    const gateway = gatewayTo(store, [echo({ handler })]);
    const error = await gateway.refused({}, {}, { signal: cancel.signal });
    expect(error.message).toBe('[TOOL ERROR] echo: it was cancelled.');
    const late = await gateway.refused({}, {}, { deadline: Date.now() - 1 });
    expect(late.message).toBe('[TOOL ERROR] echo: it did not answer in time.');
    expect(calls).toBe(1);
  });

  it('that lost its answer reports that, and an error of the public surface keeps its body', async () => {
    const lost = new ProviderFailure('no_answer', 'Trello did not answer');
    const unknown = await gatewayTo(store, [failing(lost, { read_only: false })]).refused({});
    expect(unknown.details).toMatchObject({ outcome_unknown: true });
    const known = new BatchgateError('SESSION_LOCKED', 'The session is busy.', 'Wait.', { holders: [] });
    expect((await gatewayTo(store, [failing(known)]).refused({})).body).toEqual({
      code: 'SESSION_LOCKED',
      message: '[TOOL ERROR] echo: SESSION_LOCKED: The session is busy.',
      hint: '[HINT]: Wait.',
      details: { holders: [], tool: 'echo' },
    });
  });

  it('that fails shows no secret that the worker knows, in any encoding', async () => {
    const dotted = { secrets: { api: { env: 'API' }, gone: { env: 'GONE' } }, folder: '/' };
    const env = { API: 'configured-1', MY_TOKEN: 'by-its-name-2', HOME: '/home/plain', PIN_KEY: '12' };
    const secrets = await knownSecrets(dotted, env);
    const words = 'GET /home/plain?key=configured-1 with by-its-name-2 in 12 ms';
    for (const thrown of [new Error(words), new BatchgateError('TOOL_FAILED', words, words, { words })]) {
      const { body } = await gatewayTo(store, [failing(thrown)], { secrets }).refused({});
      expect(body.message).toContain('GET /home/plain?key=… with … in 12 ms');
      expect(JSON.stringify(body)).not.toMatch(/configured-1|by-its-name/);
    }
  });

  it('answers an agent without any secret that the worker knows, and a macro with the tool’s own result', async () => {
    const result = { text: 'it is by-its-name-2', 'by-its-name-2': [1_234_567, 'cG'], plain: 12 };
    const secrets = ['by-its-name-2', '123456'];
    const gateway = gatewayTo(store, [echo({ handler: () => Promise.resolve(result) })], { secrets });
    const shown = { text: 'it is …', '…': ['…7', 'cG'], plain: 12 };
    for (const more of [{}, { whole: true as const }]) expect(await gateway.call({}, more)).toEqual(shown);
    expect(await gateway.call({}, { caller: 'macro' })).toEqual(result);
  });

  it('of a transactional tool needs a transaction, and other tools get none', async () => {
    const database = { query: () => Promise.resolve([]) };
    const handler = (_: unknown, context: object) => Promise.resolve({ given: 'database' in context });
    const inside = gatewayTo(store, [echo({ transactional: true, handler })]);
    const caller = 'macro' as const;
    expect((await inside.refused({}, { caller })).hint).toBe(
      '[HINT]: Give the macro a database; in parallel or after a rollback, begin with manage_transaction.',
    );
    expect(await inside.call({}, { caller }, { database })).toEqual({ given: true });
    expect(await gatewayTo(store, [echo({ handler })]).call({}, {}, { database })).toEqual({ given: false });
  });
});
