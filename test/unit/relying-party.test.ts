import { relyingParty } from '../../src/core/access/relying-party';

it.each([
  ['https://gate.example.com', 'gate.example.com', 'https://gate.example.com'],
  ['https://gate.example.com:8443/', 'gate.example.com', 'https://gate.example.com:8443'],
  ['http://127.0.0.1:8787', 'localhost', 'http://localhost:8787'],
  ['http://[::1]:8787', 'localhost', 'http://localhost:8787'],
  ['http://localhost:8787', 'localhost', 'http://localhost:8787'],
])('has passkeys at %s, of %s', (address, id, origin) => {
  expect(relyingParty(address)).toEqual({ id, origin });
});

it.each(['http://gate.example.com', 'https://192.0.2.1', 'https://[2001:db8::1]', 'http://192.0.2.1:80'])(
  'has none at %s, where browsers use none',
  (address) => expect(relyingParty(address)).toBeUndefined(),
);
