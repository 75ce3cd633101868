import { allowedHostSchema, hostAllowed } from '../../src/core/shared/allowed-hosts';

test.each([
  ['https://api.example.com/a', 'api.example.com', 'named'],
  ['https://API.example.com:443/a', 'api.example.com', 'named'],
  ['https://api.example.com/a', 'Api.Example.COM:443', 'named'],
  ['https://api.example.com:8443/a', 'api.example.com', undefined],
  ['https://api.example.com:8443/a', 'api.example.com:8443', 'named'],
  ['http://api.example.com/a', 'api.example.com', undefined],
  ['http://api.example.com/a', 'http://api.example.com', 'named'],
  ['https://api.example.com/a', 'http://api.example.com', undefined],
  ['https://api.example.com.evil.org/', 'api.example.com', undefined],
  ['https://xapi.example.com/', 'api.example.com', undefined],
  ['https://a.b.example.com/', '*.example.com', 'by_wildcard'],
  ['https://example.com/', '*.example.com', undefined],
  ['https://evilexample.com/', '*.example.com', undefined],
  ['http://127.0.0.1:8080/', '127.0.0.1:8080', 'named'],
  ['http://127.0.0.1:8081/', '127.0.0.1:8080', undefined],
  ['http://2130706433:8080/', '127.0.0.1:8080', 'named'],
  ['http://[::1]:8080/', '[::1]:8080', 'named'],
  ['http://localhost:3000/', 'localhost:3000', 'named'],
  ['http://localhost/', 'localhost', 'named'],
  ['https://10.0.0.5/', '10.0.0.5', 'named'],
  ['https://10.0.0.5/', '*.0.0.5', undefined],
  ['http://10.0.0.5/', '10.0.0.5', undefined],
] as const)('%s under the entry %s: %s', (url, entry, allowed) => {
  expect(hostAllowed(new URL(url), [entry])).toBe(allowed);
  expect(hostAllowed(new URL(url), [])).toBeUndefined();
});

test('a host with its own entry is named, even if a wildcard matches too', () => {
  const entries = ['*.example.com', 'api.example.com'];
  expect(hostAllowed(new URL('https://api.example.com'), entries)).toBe('named');
});

test.each([
  '',
  '*',
  '*.',
  'a/b',
  'https://',
  'ftp://a',
  'a b',
  'a:b',
  'a:99999',
  '*.10.0.0.1',
  'me@host',
  '*.*.a',
])('"%s" is not a valid entry', (entry) => {
  expect(allowedHostSchema.safeParse(entry).success).toBe(false);
});
