import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { PassThrough } from 'node:stream';
import { text } from 'node:stream/consumers';
import fc from '../helpers/properties';
import { askModel } from '../helpers/ask-model';
import type { Entry } from '../../src/contract/assistant';
import { jsonObject } from '../../src/cli/verb';
import { parseOperationInput } from '../../src/core/bulk/input';
import { valuesOf } from '../../src/core/approval/schema-form';
import { pastedItems } from '../../src/host/items/pasted-items';
import { unfenced } from '../../src/core/macro/prompt';
import { parseMacroText } from '../../src/core/macro/parse';
import { readConfigFile } from '../../src/host/config-file';
import { inexactNumbers, readForeignJson, readJson } from '../../src/core/shared/json';
import { renderJson } from '../../src/core/shared/template';
import { exactMessages } from '../../src/mcp/exact-numbers';

const KEPT = [
  '0',
  '-0',
  '1.0',
  '1e2',
  '0.1',
  '0.30000000000000004',
  '9007199254740991',
  '9007199254740992',
  '1e23',
];
const MORE_KEPT = [
  '123456789012345680000',
  '5e-324',
  '1.7976931348623157e308',
  '100000000000000000000000',
  '0e999',
];
const LOST = ['9007199254740993', '-9007199254740993', '1e400', '-1E+400', '1e-400', '0.1000000000000000055'];
const MORE_LOST = [
  '3.14159265358979323846',
  '12345678901234567890.12',
  '9007199254740993.0',
  '90071992547409930e-1',
];

it.each([...KEPT, ...MORE_KEPT])('reads %s', (number) => {
  expect(readJson(`{"a": [${number}]}`)).toEqual({ a: [Number(number)] });
});

it.each([...LOST, ...MORE_LOST])('refuses %s, and says to write it as text', (number) => {
  for (const json of [number, `[${number}]`, `{"a":{"b":[1,${number}]}}`, ` {"1e400" : ${number} } `])
    expect(() => readJson(json)).toThrow(
      expect.objectContaining({
        code: 'INVALID_INPUT',
        message: `The number ${number} cannot be kept exactly.`,
        hint: `Write it as text: "${number}".`,
      }) as Error,
    );
  expect(readJson(JSON.stringify({ [number]: `${number}, "${number}"` }))).toEqual({
    [number]: `${number}, "${number}"`,
  });
  expect(readForeignJson(`{"a": [1, ${number}], "b": "${number}"}`)).toEqual({ a: [1, number], b: number });
});

it('reads all JSON that JavaScript writes, and refuses what is not JSON as before', () => {
  fc.assert(
    fc.property(fc.jsonValue(), (value) => {
      const json = JSON.stringify(value);
      expect(readJson(json)).toEqual(JSON.parse(json));
      expect(inexactNumbers(json)).toEqual([]);
    }),
  );
  for (const json of ['', '{', '[1,]', '01', '1.', 'NaN', '// a\n1', '9007199254740993x'])
    expect(() => readJson(json)).toThrow(SyntaxError);
});

it('refuses such a number at the command line', () => {
  expect(() => jsonObject('{"set":{"n":9007199254740993}}')).toThrow('Write it as text: "9007199254740993".');
  expect(() => jsonObject('{"set":{"n":1e400}}')).toThrow('cannot be kept exactly');
});

it('refuses such a number in a macro file, by its place', () => {
  const macro =
    '{"name":"a",\n "steps":[\n  {"type":"set","variable":"n","value":9007199254740993} // 1e400\n]}';
  const read = parseMacroText(macro, 'a');
  expect(read).toEqual({
    mistakes: [
      {
        macro: 'a',
        path: '',
        message: 'The number 9007199254740993 cannot be kept exactly, at line 3, column 40',
        hint: 'Write it as text: "9007199254740993".',
      },
    ],
  });
});

it('refuses such a number in the configuration', () => {
  const folder = mkdtempSync(join(tmpdir(), 'batchgate-config-'));
  const path = join(folder, 'batchgate.config.json');
  writeFileSync(path, '{"http":{"requests_per_second":1e400}}');
  expect(readConfigFile(path)).toEqual({
    mistakes: [`${path}: The number 1e400 cannot be kept exactly. Write it as text: "1e400".`],
  });
  rmSync(folder, { recursive: true });
});

it('gives a tool the digits that a model wrote, as text', async () => {
  const written = '{"n":[9007199254740993,1e400,12]}';
  const call = (part: object) => ({
    choices: [{ index: 0, delta: { tool_calls: [{ index: 0, ...part }] } }],
  });
  const chunks = [
    call({ id: 'call-1', type: 'function', function: { name: 'save', arguments: written.slice(0, 12) } }),
    call({ function: { arguments: written.slice(12) } }),
    { choices: [{ index: 0, delta: {}, finish_reason: 'tool_calls' }] },
  ];
  const { answer } = await askModel([{ role: 'person', text: 'save it', tokens: 2 }], chunks);
  const args = { n: ['9007199254740993', '1e400', 12] };
  expect(answer.calls).toEqual([{ id: 'call-1', tool: 'save', args }]);
});

it('sends a model no half of a surrogate pair, which strict providers refuse', async () => {
  const entries: Entry[] = [
    { role: 'person', text: 'save \ud83d and 😀', tokens: 9 },
    { role: 'model', text: '', calls: [{ id: 'c', tool: 'save', args: { half: '\ude00' } }], tokens: 9 },
    { role: 'tool', call_id: 'c', tool: 'save', output: { kept: ['\ud83d'] }, tokens: 9 },
  ];
  const { sent } = await askModel(entries, [{ choices: [{ index: 0, delta: {}, finish_reason: 'stop' }] }]);
  expect(sent).toContain('save \ufffd and 😀');
  expect(sent).toContain('{\\"half\\":\\"\ufffd\\"}');
  expect(sent).toContain('{\\"kept\\":[\\"\ufffd\\"]}');
  expect(sent).not.toMatch(/\\ud[89a-f]/);
});

it('refuses numbers that JSON would write as null, or cannot write', () => {
  for (const n of [Infinity, -Infinity, NaN, 1n]) {
    const params = { set: { n: [n] } };
    expect(() => parseOperationInput({ domain: 'sql', action: 'update', params })).toThrow(/not finite/);
    const items = [{ id: 'a', raw_data: { n } }];
    expect(() => parseOperationInput({ domain: 'http', action: 'request', items })).toThrow(/not finite/);
  }
});

it('takes no number of a form that would change, and keeps a text', async () => {
  const field = (kind: 'number' | 'whole' | 'loose' | 'json') => [
    { name: 'a', label: 'A', kind, required: false },
  ];
  for (const kind of ['number', 'whole', 'loose', 'json'] as const) {
    const { values, mistakes } = valuesOf(field(kind), () => '9007199254740993');
    expect(values).toEqual(kind === 'loose' ? { a: '9007199254740993' } : {});
    expect(mistakes.length).toBe(kind === 'loose' ? 0 : 1);
    expect(valuesOf(field(kind), () => '12').values).toEqual({ a: 12 });
  }
  expect((await pastedItems('9007199254740993', 10)).items).toEqual([{ id: '9007199254740993' }]);
});

it('gives a host over its pipes an error for such a message, and forwards the others as they are', async () => {
  const [input, output] = [new PassThrough(), new PassThrough()];
  const forwarded = text(exactMessages(input, output));
  const call = (id: number, n: string) =>
    `{"jsonrpc":"2.0","id":${id},"method":"tools/call","params":{"name":"a","arguments":{"n":${n}}}}\n`;
  const whole =
    call(1, '9007199254740993') + call(2, '12') + '{"jsonrpc":"2.0","method":"m","params":[1e400]}\n';
  for (let at = 0; at < whole.length; at += 7) input.write(whole.slice(at, at + 7));
  input.end('{"half');
  expect(await forwarded).toBe(`${call(2, '12')}{"half`);
  output.end();
  const lines = (await text(output)).trim().split('\n');
  expect(lines.map((line) => JSON.parse(line) as unknown)).toEqual([
    {
      jsonrpc: '2.0',
      id: 1,
      error: expect.objectContaining({
        code: -32602,
        message: 'The number 9007199254740993 cannot be kept exactly. Write it as text: "9007199254740993".',
      }) as unknown,
    },
  ]);
});

it('gives the placeholder of a body the type that it declares', () => {
  const values = {
    n: '12',
    big: '9007199254740993',
    yes: 'true',
    no: 'FALSE',
    list: '[1,"a"]',
    word: 'a',
    real: 1.5,
    none: '',
  };
  const body = (text: string) => renderJson({ a: text }, values);
  expect(body('{{.n as number}}')).toEqual({ a: 12 });
  expect(body('{{ .yes as boolean }}')).toEqual({ a: true });
  expect(body('{{.no as boolean}}')).toEqual({ a: false });
  expect(body('{{.no as text}}')).toEqual({ a: 'FALSE' });
  expect(body('{{.list as json}}')).toEqual({ a: [1, 'a'] });
  expect(body('{{.real as text}}')).toEqual({ a: '1.5' });
  expect(body('{{.n}}')).toEqual({ a: '12' });
  expect(body('no {{.n as number}}')).toEqual({ a: 'no 12' });
  for (const wrong of [
    '{{.word as number}}',
    '{{.n as boolean}}',
    '{{.word as boolean}}',
    '{{.no as json}}',
    '{{.big as number}}',
    '{{.none as number}}',
  ])
    expect(() => body(wrong)).toThrow(
      /^The item's (word|n|no|big|none) is not (a number|true or false|JSON)/,
    );
});

it.each([
  ['{"a":1}', '{"a":1}'],
  ['```json\n{"a":1}\n```', '{"a":1}'],
  ['  ```\r\n{"a":\n1}\r\n```  \n', '{"a":\n1}\r'],
  ['```json\n\n[1]\n\n ``` ', '\n[1]\n'],
  ['```python\n1\n```', '```python\n1\n```'],
  ['```json {"a":1}```', '```json {"a":1}```'],
])('takes the fence off an answer: %j', (answer, json) => {
  expect(unfenced(answer)).toBe(json);
});
