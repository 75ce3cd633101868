import { z } from 'zod';
import type { Macro, Step, Variables } from '../../src/contract/macro';
import { parseMacroText } from '../../src/core/macro/parse';
import { validateBundle } from '../../src/core/macro/validate';

const tools = [
  { name: 'send', args: z.strictObject({ to: z.string().max(5), count: z.number().optional() }) },
  { name: 'open', args: z.looseObject({}) },
];

function mistakesOf(steps: Step[], more: Partial<Macro> = {}, others: Macro[] = [], args = {}) {
  const root: Macro = { name: 'main', steps, ...more };
  const macros = Object.fromEntries([root, ...others].map((macro) => [macro.name, macro]));
  return validateBundle({ root: 'main', macros }, { tools, args });
}
const send = (args: Record<string, never> | object): Step => ({
  type: 'command',
  command: 'send',
  args: args as Record<string, string>,
});
const set = (variable: string, value: string | number = 1, more = {}): Step => ({
  type: 'set',
  variable,
  value,
  ...more,
});
const messages = (...input: Parameters<typeof mistakesOf>) =>
  mistakesOf(...input).map(({ macro, path, message }) => `${macro} ${path}: ${message}`);

it('finds nothing in a correct macro', () => {
  expect(
    mistakesOf(
      [
        send({ to: '{{.who}}', count: '{{.n}}' }),
        send({ to: 'ref:key-of-the-scratchpad' }),
        {
          type: 'loop',
          list: 'rows',
          iterator: 'row',
          steps: [{ type: 'if', condition: 'row.n > n', then: [] }],
        },
        { type: 'command', command: 'open', args: { anything: [1] } },
      ],
      { parameters: ['who', 'n', 'rows'] },
      [],
      { who: 'x', n: 1, rows: [] },
    ),
  ).toEqual([]);
});

it('names all mistakes of commands at once, each with its path', () => {
  expect(
    messages([
      send({}),
      send({ to: 7 }),
      send({ to: 'too long' }),
      send({ to: 'a', cuont: 1 }),
      { type: 'command', command: 'sned' },
    ]),
  ).toEqual([
    "main steps[0].args: 'to' is missing",
    'main steps[1].args.to: Invalid input: expected string, received number',
    'main steps[2].args.to: Too big: expected string to have <=5 characters',
    "main steps[3].args.cuont: send has no argument 'cuont'",
    "main steps[4].command: there is no tool 'sned'",
  ]);
});

it('names variables that nothing sets, that are set too late, and that are set by parallel steps', () => {
  const at = (name: string) => send({ to: `{{.${name}}}` });
  expect(
    messages([
      at('nobody'),
      at('later'),
      set('later'),
      set('beside', 1, { is_async: true }),
      at('beside'),
      { type: 'if', condition: 'later > 1', then: [set('maybe')], else: [] },
      at('maybe'),
      { type: 'loop', list: [1], iterator: 'i', steps: [at('round'), set('round'), at('i')] },
      at('i'),
    ]),
  ).toEqual([
    "main steps[0].args: nothing sets 'nobody'",
    "main steps[1].args: 'later' is used before it is set",
    "main steps[4].args: 'beside' is set by a step that runs in parallel with this one",
    "main steps[8].args: nothing sets 'i'",
  ]);
});

it('takes parallel steps of a macro that always runs in a transaction for what they are there: one after another', () => {
  const aside = set('x', 1, { is_async: true });
  const later = set('y', '{{.x}}');
  const beside = ["main steps[1].value: 'x' is set by a step that runs in parallel with this one"];
  expect(messages([aside, later])).toEqual(beside);
  expect(messages([aside, later], { database: 'shop' })).toEqual([]);
  const rollback: Step = { type: 'command', command: 'manage_transaction', args: { action: 'rollback' } };
  // After a rollback there is no transaction, and the step runs in parallel.
  expect(messages([aside, later, rollback], { database: 'shop' })).toEqual(beside);
  const sub: Macro = { name: 'sub', steps: [aside, later] };
  const call: Step = { type: 'macro', macro_name: 'sub' };
  expect(messages([call], { database: 'shop' }, [sub])).toEqual([]);
  const within = beside.map((text) => text.replace('main', 'sub'));
  expect(messages([call], {}, [sub])).toEqual(within);
  expect(messages([call, { ...call, is_async: true }], { database: 'shop' }, [sub])).toEqual(within);
});

it.each([
  [
    '{"name": "m", "steps": [], "steps": []}',
    'the field "steps" is given twice in one object, again at line 1, column 28',
  ],
  [
    '{"name": "m", "steps": [{"type": "set", "variable": "a",\n "value": {"k": 1, "k": 2}}]}',
    'the field "k" is given twice in one object, again at line 2, column 20',
  ],
])('refuses a file in which an object has a field twice: %j', (text, message) => {
  expect(parseMacroText(text, 'm')).toMatchObject({ mistakes: [{ message, hint: 'Remove one of them.' }] });
});

it('names a list that lacks the elements that parallel steps append to it', () => {
  const beside: Step = {
    ...send({ to: 'a' }),
    ...{ output_variable: 'all', append: true, is_async: true },
  };
  const steps: Step[] = [
    { type: 'set', variable: 'all', value: [] },
    { type: 'loop', list: [1, 2], iterator: 'i', steps: [beside] },
  ];
  expect(messages(steps)).toEqual([]);
  expect(messages([...steps, { type: 'set', variable: 'n', expression: 'size(all)' }])).toHaveLength(1);
  expect(messages([...steps, set('n', '{{.all}}')])).toEqual([
    "main steps[2].value: 'all' is set by a step that runs in parallel with this one",
  ]);
});

it('names conditions that do not parse, and meaningless braces', () => {
  expect(
    messages([
      { type: 'if', condition: 'a ==', then: [] },
      { type: 'if', condition: 'nobody', then: [] },
      send({ to: '{{range .x}}' }),
    ]),
  ).toEqual([
    expect.stringContaining('main steps[0].condition: `a ==`: is not valid CEL'),
    'main steps[1].condition: `nobody`: Unknown variable: nobody',
    "main steps[2].args: '{{range .x}}' is not a placeholder",
  ]);
});

it('compares arguments with parameters, of the macro and of the macros that it calls', () => {
  const inner: Macro = { name: 'inner', parameters: ['x'], steps: [] };
  const call = (macro_args: Record<string, string>): Step => ({
    type: 'macro',
    macro_name: 'inner',
    macro_args,
  });
  expect(
    messages([call({}), call({ x: '1', y: '2' }), call({ x: '1' })], { parameters: ['a'] }, [inner], {
      b: 1,
    }),
  ).toEqual([
    "main parameters: the macro main needs the argument 'a'",
    "main parameters: the macro main has no parameter 'b'",
    "main steps[0].macro_args: the macro inner needs the argument 'x'",
    "main steps[1].macro_args: the macro inner has no parameter 'y'",
  ]);
});

it('refuses a subroutine that manages a transaction but cannot', () => {
  const manage: Step = { type: 'command', command: 'manage_transaction', args: { action: 'commit' } };
  const inner: Macro = { name: 'inner', steps: [manage] };
  const outer: Macro = { name: 'outer', steps: [{ type: 'macro', macro_name: 'inner' }] };
  const calls = (macro_name: string, more: object): Step[] => [{ type: 'macro', macro_name, ...more }];
  const found = (more: object, others = [inner, outer]) =>
    messages(calls('outer', more), { database: 'shop' }, others);
  expect(found({})).toEqual([]);
  expect(found({ is_async: true, continue_on_error: true })).toEqual([]);
  expect(found({ error_variable: 'why' })).toEqual([
    'main steps[0]: the macro outer manages the transaction of its caller, and a commit there could not be taken back when its failure is caught here',
  ]);
  expect(found({ error_variable: 'why' }, [{ ...inner, database: 'shop' }, outer])).toEqual([]);
});

it('names the variables that a subroutine cannot get from a macro that may wait for the transaction', () => {
  const call = (macro_name: string, more: object = {}): Step => ({ type: 'macro', macro_name, ...more });
  const both = { is_async: true, output_variable: 'done', error_variable: 'why' };
  const found = (steps: Step[], more: Partial<Macro>) =>
    messages([call('part')], { database: 'shop' }, [
      { name: 'part', steps: [call('aside', both)] },
      { name: 'aside', steps, ...more },
    ]);
  const late = ['done', 'why'].map(
    (name, at) =>
      `part steps[0].${at === 0 ? 'output' : 'error'}_variable: '${name}' would be set after the end of part: aside may wait for the transaction of main`,
  );
  expect(found([], { database: 'shop' })).toEqual(late);
  expect(found([{ type: 'ask', of: 'person', prompt: 'a' }], {})).toEqual(late);
  expect(found([{ type: 'ask', prompt: 'a' }], {})).toEqual([]);
  expect(found([], { database: 'other' })).toEqual([]);
  // The macro with the transaction itself, and one without a transaction, join it later.
  const aside: Macro = { name: 'aside', database: 'shop', steps: [] };
  expect(messages([call('aside', both)], { database: 'shop' }, [aside])).toEqual([]);
  const part: Macro = { name: 'part', steps: [call('aside', both)] };
  expect(messages([call('part')], {}, [part, aside])).toEqual([]);
  const rollback: Step = { type: 'command', command: 'manage_transaction', args: { action: 'rollback' } };
  expect(messages([rollback, call('part')], { database: 'shop' }, [part, aside])).toEqual([]);
});

it('finds cycles of macros, and missing macros', () => {
  const calling = (name: string, called: string): Macro => ({
    name,
    steps: [{ type: 'macro', macro_name: called }],
  });
  expect(messages(calling('main', 'a').steps, {}, [calling('a', 'b'), calling('b', 'a')])).toEqual([
    'a : it calls itself: a → b → a',
  ]);
  expect(messages(calling('main', 'none').steps)).toEqual([
    "main steps[0].macro_name: there is no macro 'none'",
  ]);
});

describe('the text of a file', () => {
  const read = (text: string) => {
    const parsed = parseMacroText(text, 'file.json');
    return 'macro' in parsed
      ? parsed.macro
      : parsed.mistakes.map(({ path, message }) => `${path}: ${message}`);
  };

  it('may have comments, trailing commas and a byte order mark', () => {
    expect(read('\uFEFF// a\n{"name": "m", /* b */ "steps": [],}')).toEqual({ name: 'm', steps: [] });
  });

  it.each([
    [
      '{"name": "m", "steps": [',
      [
        ': is not valid JSON with comments: CloseBracketExpected at line 1, column 25',
        ': is not valid JSON with comments: CloseBraceExpected at line 1, column 25',
      ],
    ],
    ['', [': is not valid JSON with comments: ValueExpected at line 1, column 1']],
    [
      '{"name": "m", "steps": [{"type": "sleep"}, {}]}',
      ['steps[0].type: unknown step type "sleep"', 'steps[1].type: a step has no type'],
    ],
    [
      '{"name": "m", "steps": [{"type": "set", "variable": "v", "valeu": 1}]}',
      ['steps[0]: unknown field valeu', expect.stringMatching(/^steps\[0\]\.value: exactly one of /)],
    ],
    [
      '{"name": "m m", "steps": [], "parameters": ["a-b"]}',
      [expect.stringMatching(/^name: /), expect.stringMatching(/^parameters\[0\]: /)],
    ],
    [
      '{"name": "__proto__", "parameters": ["__proto__"], "steps": [{"type": "set", "variable": "__proto__", "value": 1}]}',
      [
        expect.stringMatching(/^name: /),
        expect.stringMatching(/^parameters\[0\]: /),
        expect.stringMatching(/^steps\[0\]\.variable: /),
      ],
    ],
    [
      '{"name": "m", "steps": [{"type": "if", "condition": "a", "then": [{"type": "loop", "list": [], "iterator": "i", "steps": [{"type": "x"}]}]}]}',
      ['steps[0].then[0].steps[0].type: unknown step type "x"'],
    ],
  ])('%s is refused with its places', (text, expected) => expect(read(text)).toEqual(expected));
});

it('refuses regular expressions in the schema of an answer, which could run without end', () => {
  const text = { type: 'string', pattern: '^(\\w+\\s?)*$' };
  const ask = (output_schema: Variables): Step => ({ type: 'ask', of: 'person', prompt: '?', output_schema });
  expect(
    messages([
      ask(text),
      ask({ type: 'object', properties: { to: { anyOf: [{ type: 'null' }, text] } } }),
      ask({ $ref: '#/$defs/one', $defs: { one: { type: 'object', patternProperties: { '^a': {} } } } }),
      ask({ type: 'object', propertyNames: text }),
      // A property of that name, and data.
      ask({ type: 'object', properties: { pattern: { type: 'string', enum: ['pattern'] } } }),
      ask({ type: 'object', default: { pattern: 'x' } }),
    ]),
  ).toEqual(
    [
      '[0].output_schema.pattern',
      '[1].output_schema.properties.to.anyOf[1].pattern',
      '[2].output_schema.$defs.one.patternProperties',
      '[3].output_schema.propertyNames.pattern',
    ].map((path) => `main steps${path}: a regular expression may never finish`),
  );
});
