import { refusePlainSecrets } from '../../src/core/shared/plain-secrets';
import { BatchgateError } from '../../src/contract/errors';

const SECRET = 'tok-Very-Secret';
const request = (params: object) => ({ domain: 'http', action: 'request', params });
const macro = (args: object) => ({
  macro: {
    name: 'm',
    steps: [{ type: 'loop', list: 'l', iterator: 'i', steps: [{ type: 'command', args }] }],
  },
});

function refusalOf(input: unknown): BatchgateError {
  try {
    refusePlainSecrets(input);
  } catch (error) {
    if (error instanceof BatchgateError) return error;
  }
  throw new Error('it was taken');
}

test.each([
  ['params.headers.Authorization', request({ headers: { Authorization: `Bearer ${SECRET}` } })],
  ['params.headers.x-api-key', request({ headers: { 'x-api-key': SECRET } })],
  ['params.url', request({ url: `https://api.example.com/x?a=1&token=${SECRET}` })],
  ['params.url', request({ url: `https://api.example.com/{{id}}?api_key=${SECRET}` })],
  ['params.url', request({ url: 'https://api.example.com/{{id}}?access_token={{.token}}' })],
  ['params.url', request({ url: `https://ana:${SECRET}@api.example.com/` })],
  ['params.url', request({ url: `http://${SECRET}@api.example.com` })],
  [
    'macro.steps[0].steps[0].args.headers.Authorization',
    macro({ headers: { Authorization: `Bearer ${SECRET}` } }),
  ],
  ['macro.steps[0].steps[0].args.headers.Cookie', macro({ headers: { Cookie: '{{.cookie}}' } })],
  ['args.url', { macro: 'm', args: { url: `https://a.example/?password=${SECRET}` } }],
  ['args.headers.Authorization', { macro: 'm', args: { headers: { Authorization: SECRET } } }],
])('a plain secret is refused at %s, and not repeated', (place, input) => {
  const error = refusalOf(input);
  expect(error).toMatchObject({ code: 'INVALID_INPUT', hint: expect.stringContaining('{ "secret": NAME }') });
  expect(error.message.split(' ')[0]).toBe(place);
  expect(JSON.stringify(error)).not.toContain(SECRET);
});

test.each([
  request({ headers: { Authorization: { secret: 'crm', prefix: 'Bearer ' }, 'Idempotency-Key': 'abc' } }),
  request({
    url: 'https://api.example.com/@ana/{{id}}?page_token=2&nextPageToken=3&sort_key=name&q=token#x',
  }),
  request({ url: 'https://api.example.com/x?token=' }),
  request({ note: 'ask ana@example.com for the token' }),
  { macro: 'm', args: { token: 'abc', text: 'see https://a.example/?token=abc' } },
])('what only resembles one is accepted: %j', (input) => {
  expect(() => refusePlainSecrets(input)).not.toThrow();
});
