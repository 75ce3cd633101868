import { growingRedactor, redact, redactAll } from '../../src/core/shared/redact';
import { providerText } from '../../activities/adapters/shared/failure';

const SECRET = 'pä"ss\\w/rd+ 1~?';
const base64 = Buffer.from(SECRET).toString('base64');

test.each([
  ['as it is', SECRET],
  ['in JSON', JSON.stringify(SECRET).slice(1, -1)],
  ['in JSON of PHP', 'p\\u00e4\\"ss\\\\w\\/rd+ 1~?'],
  ['in JSON with a slash escaped', 'pä\\"ss\\\\w\\/rd+ 1~?'],
  ['in an address', encodeURIComponent(SECRET)],
  ['in an address, in small letters', encodeURIComponent(SECRET).replace(/%../g, (hex) => hex.toLowerCase())],
  ['in a form', new URLSearchParams({ a: SECRET }).toString().slice(2)],
  ['in base64', base64],
  ['in base64 without its end', base64.replace(/=+$/, '')],
  ['in base64 for addresses', Buffer.from(SECRET).toString('base64url')],
  ['in base64 within an address', encodeURIComponent(base64)],
  ['in base64 within JSON of PHP', base64.replaceAll('/', '\\/')],
])('a secret %s is removed from a provider’s text', (_how, written) => {
  expect(providerText(`got "${written}", no`, ['other', SECRET])).toBe('got "…", no');
});

test('a secret that begins like another one is removed whole, and an empty one removes nothing', () => {
  expect(redact('abc abcdef', ['abc', '', 'abcdef'])).toBe('… …');
});

test.each([
  ['as it is', SECRET],
  ['in an address', encodeURIComponent(SECRET)],
  ['in base64', base64],
  ['within a text in base64', Buffer.from(`x:${SECRET}`).toString('base64')],
])('the beginning of a secret %s is not in a text that grows', (_how, written) => {
  const whole = `got "${written}", no.`;
  const growing = growingRedactor(['other', SECRET]);
  const texts = Array.from(whole, (_, at) => growing(whole.slice(0, at + 1)));
  expect(texts.at(-1)).toBe('got "…", no.');
  expect(texts.filter((text) => text.includes(written.slice(0, 5)))).toEqual([]);
});

test('a text that grows is held back only where a secret may begin', () => {
  const plain = growingRedactor(['other', SECRET]);
  expect([plain('I took the o'), plain('I took the ot'), plain('I took the oath')]).toEqual([
    'I took the ',
    'I took the ',
    'I took the oath',
  ]);
  expect(growingRedactor([])('I took the o')).toBe('I took the o');
});

test('half a character in a secret causes no error', () => {
  expect(redact('a\ud83d b', ['a\ud83d'])).toBe('… b');
});

test('a value stays unchanged if its texts, names and numbers contain no secret', () => {
  const value = { role: 'person', list: [true, null, 1.5, { deep: 'sec-ret' }], 'a sec-ret': 99123456 };
  expect(redactAll(value, ['sec-ret', '123456', '":['])).toEqual({
    ...{ role: 'person', list: [true, null, 1.5, { deep: '…' }] },
    'a …': '99…',
  });
  expect(redactAll(value, [])).toBe(value);
});

describe('a secret within a text that is encoded as a whole', () => {
  const secrets = ['s3cr3t-of-Sam/+?', 'ghp_0123456789abcdefghijklmnopqrstuvwxyzABCD', 'Żółw-🐢-geheim'];
  const around = ['Bearer ', 'Basic user:', 'authorization: Bearer ', '{"h":"', 'x', 'xy', ''];
  const cases = secrets.flatMap((secret) => around.map((before) => [before, secret] as const));

  it.each(cases)('is not shown after %j: %s', (before, secret) => {
    for (const encoding of ['base64', 'base64url', 'hex'] as const)
      for (const after of ['', '"}', ' and more']) {
        const whole = Buffer.from(`${before}${secret}${after}`).toString(encoding);
        for (const form of [
          whole,
          encodeURIComponent(whole),
          JSON.stringify(whole),
          whole.replaceAll('/', '\\/'),
        ]) {
          const shown = redact(`401: you sent ${form}, which is wrong`, [secret]);
          expect(shown).toMatch(/^401: you sent .*…/);
          expect(shown).toMatch(/, which is wrong$/);
          const left = decodeURIComponent(shown.replaceAll('\\/', '/')).match(/[\w+/-]{4,}/g) ?? [];
          const read = left.map((run) => Buffer.from(run, encoding).toString('latin1')).join(' ');
          for (let at = 0; at + 6 <= secret.length; at++)
            expect(read).not.toContain(Buffer.from(secret.slice(at, at + 6)).toString('latin1'));
        }
      }
  });

  it('leaves other base64 as it is', () => {
    const text = Buffer.from('Bearer somebody else').toString('base64');
    expect(redact(text, ['s3cr3t-of-Sam'])).toBe(text);
  });
});
