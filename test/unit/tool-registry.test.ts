import { z } from 'zod';
import { createToolRegistry } from '../../src/core/gateway/tool-registry';
import { echo } from '../helpers/tools';

const named = (...names: string[]) => names.map((name) => echo({ name }));

it('lists tools by name, whatever order they were registered in, with their schemas as JSON Schema', () => {
  const args = z.object({
    board_id: z.string().meta({ clamp: 'id' }).describe('Which'),
    limit: z.int().optional(),
  });
  const output = z.object({ found: z.boolean() });
  const registry = createToolRegistry([
    echo({ name: 'web_search', args, output, fallback: 'wiki_get', category: 'web', read_only: false }),
    echo({ name: 'wiki_get', category: 'web' }),
  ]);
  expect(registry.listTools().map(({ name }) => name)).toEqual(['web_search', 'wiki_get']);
  expect(registry.describeTools()[0]).toEqual({
    ...{ name: 'web_search', description: 'Answers its arguments', category: 'web', fallback: 'wiki_get' },
    ...{ read_only: false, idempotent: true, transactional: false },
    callers: ['macro', 'assistant', 'http', 'mcp'],
    args: {
      type: 'object',
      properties: {
        board_id: { type: 'string', description: 'Which', maxLength: 150 },
        limit: { type: 'integer', minimum: expect.any(Number), maximum: expect.any(Number) },
      },
      required: ['board_id'],
      additionalProperties: false,
    },
    output: expect.objectContaining({ properties: { found: { type: 'boolean' } } }),
  });
  const texts = [named('b', 'a', 'c'), named('c', 'b', 'a')].map((tools) =>
    JSON.stringify(createToolRegistry(tools).describeTools()),
  );
  expect(texts[0]).toBe(texts[1]);
});

it('offers a caller the tools for everybody and for it, and transactional tools to macros only', () => {
  const registry = createToolRegistry([
    echo({ name: 'all' }),
    echo({ name: 'models', callers: ['assistant', 'mcp'], category: 'other' }),
    echo({ name: 'rows', transactional: true }),
  ]);
  const offered = (filter: Parameters<typeof registry.listTools>[0]) =>
    registry.listTools(filter).map(({ name }) => name);
  expect(offered({ caller: 'macro' })).toEqual(['all', 'rows']);
  expect(offered({ caller: 'mcp' })).toEqual(['all', 'models']);
  expect(offered({ caller: 'mcp', categories: ['other'] })).toEqual(['models']);
  expect(registry.describeTools({ caller: 'http' }).map(({ name }) => name)).toEqual(['all']);
});

it.each([
  ['two tools of one name', named('same', 'same'), 'Two tools are called same.'],
  ['a name with a blank', named('two words'), "'two words' is not a valid tool name."],
  ['a name that every object has', named('__proto__'), "'__proto__' is not a valid tool name."],
  ['an empty description', [echo({ description: ' ' })], 'The tool echo has no description.'],
  ['an unfit category', [echo({ category: 'A B' })], "'A B' is not a valid category for the tool echo."],
  [
    'an unknown fallback',
    [echo({ fallback: 'nope' })],
    "The tool echo falls back to 'nope', which is not a tool.",
  ],
  ['itself as a fallback', [echo({ fallback: 'echo' })], 'The tool echo is its own fallback.'],
  [
    'a schema that JSON Schema cannot say',
    [echo({ args: z.object({ when: z.date() }) })],
    'The schemas of the tool echo cannot be described: Date cannot be represented in JSON Schema',
  ],
])('refuses %s when it is registered', (_, tools, message) => {
  expect(() => createToolRegistry(tools)).toThrow(
    expect.objectContaining({
      code: 'NOT_CONFIGURED',
      message,
      hint: expect.stringMatching(/\w{3}.*\.$/),
    }) as Error,
  );
});
