import { redact, redactAll } from '../../src/core/shared/redact';
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
