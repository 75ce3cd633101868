import fc from '../helpers/properties';
import type { Json, Variables } from '../../src/contract/macro';
import { measure } from '../../src/core/macro/size';
import { render, TemplateError } from '../../src/core/macro/template';

const json = fc.jsonValue() as fc.Arbitrary<Json>;
const name = fc.stringMatching(/^[A-Za-z_]\w{0,8}$/).filter((it) => it !== '__proto__');
/** Text in which nothing looks like a placeholder. */
const plain = fc.string().map((text) => text.replaceAll('{', '('));

describe('a template', () => {
  it('that is one placeholder becomes its value, with its type', () => {
    fc.assert(
      fc.property(name, json, (variable, value) => {
        expect(render(`{{ .${variable} }}`, { [variable]: value })).toEqual(value);
      }),
    );
  });

  it('without placeholders stays unchanged, at any depth', () => {
    fc.assert(
      fc.property(plain, name, (text, key) => {
        expect(render({ [key]: [text, { a: text }] }, {})).toEqual({ [key]: [text, { a: text }] });
      }),
    );
  });

  it('never renders the value of a placeholder', () => {
    fc.assert(
      fc.property(name, name, plain, plain, fc.boolean(), (one, other, before, after, whole) => {
        fc.pre(one !== other);
        const data = `{{.${other}}} {{.${one}}} {{if .x}} $& $1`;
        const variables: Variables = { [one]: data, [other]: 'secret' };
        const text = whole ? `{{.${one}}}` : `${before}{{.${one}}}${after}`;
        expect(render(text, variables)).toBe(whole ? data : `${before}${data}${after}`);
      }),
    );
  });

  it('replaces each placeholder in a text', () => {
    fc.assert(
      fc.property(fc.array(fc.tuple(plain, json)), plain, (parts, end) => {
        fc.pre(parts.length !== 1 || parts[0]?.[0] !== '' || end !== '');
        const variables = Object.fromEntries(parts.map(([, value], at) => [`v${at}`, value]));
        const text = parts.map(([before], at) => `${before}{{.v${at}}}`).join('') + end;
        const shown = parts.map(
          ([before, value]) => before + (typeof value === 'string' ? value : JSON.stringify(value)),
        );
        expect(render(text, variables)).toBe(shown.join('') + end);
      }),
    );
  });

  it('finds no inherited property of objects', () => {
    const born = fc.constantFrom('constructor', 'toString', '__proto__', 'hasOwnProperty', 'valueOf');
    fc.assert(
      fc.property(born, fc.constantFrom('', 'a.', 'list.', 'text.'), (word, owner) => {
        const variables = { a: { b: 1 }, list: [1], text: 'x' };
        expect(() => render(`{{.${owner}${word}}}`, variables)).toThrow(TemplateError);
      }),
    );
  });
});

it.each([
  ['{{.rows.1.name}}', 'b'],
  ['{{.rows.length}}', TemplateError],
  ['{{.rows.7}}', TemplateError],
  ['{{.nobody}}', TemplateError],
  ['{{if .rows}}', TemplateError],
  ['{{rows}}', TemplateError],
  ['{{.rows', TemplateError],
  ['}} and { }', '}} and { }'],
])('reads %s as %p', (template, expected) => {
  const variables = { rows: [{ name: 'a' }, { name: 'b' }] };
  if (typeof expected === 'string') expect(render(template, variables)).toBe(expected);
  else expect(() => render(template, variables)).toThrow(expected);
});

it('lists the available names when one is missing', () => {
  try {
    render('{{.user.nmae}}', { user: { name: 'Ana', age: 7 } });
    throw new Error('rendered');
  } catch (error) {
    expect(error).toMatchObject({
      message: "'user' has no member 'nmae'.",
      hint: "In 'user' there is name, age.",
    });
  }
});

it('does not grow without limit, as text or as nested lists', () => {
  for (const template of ['{{.x}}{{.x}}', ['{{.x}}', '{{.x}}']]) {
    const variables: Variables = { x: 'ä' };
    const double = () => {
      for (let round = 0; round < 60; round++) variables['x'] = render(template, variables);
    };
    expect(double).toThrow('it is larger than 1700000 bytes');
    expect(measure(variables['x']).bytes).toBeLessThanOrEqual(1_700_000);
    expect(measure(variables['x']).bytes).toBeGreaterThan(200_000);
  }
});

it('is measured by its size in JSON, in UTF-8', () => {
  fc.assert(
    fc.property(json, (value) => {
      const bytes = Buffer.byteLength(JSON.stringify(value));
      expect(measure(value).bytes).toBe(bytes);
      // The second occurrence gets the same size from the cache.
      expect(measure([value, value]).bytes).toBe(2 * bytes + 3);
    }),
  );
});
