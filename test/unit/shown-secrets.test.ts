import {
  addressWithoutSecrets,
  describeRequest,
  textWithoutSecrets,
} from '../../activities/adapters/http/describe';
import { previewRequest } from '../../activities/adapters/http/render';
import { knownSecrets } from '../../src/host/secrets';

const SECRET = 'a-word-that-nobody-may-read';
const contextOf = (params: object) => ({
  ...{ tool_name: 'http', action: 'request', query_params: {} },
  action_params: { method: 'POST', url: 'https://api.example.com/{{id}}', ...params },
});

describe('the question of an HTTP request', () => {
  it('shows no value of a header, a query or a body whose name suggests a secret', () => {
    for (const params of [
      { headers: { 'Request-Token': SECRET } },
      { url: `https://api.example.com/{{id}}?a=1&sessionToken=${SECRET}` },
      { body: { user: { password: SECRET } } },
      { body: `{"api_key": "${SECRET}"}` },
      { body: `name=a&client_secret=${SECRET}` },
      { undo: { method: 'DELETE', url: `https://api.example.com/{{id}}?token=${SECRET}` } },
    ]) {
      const change = describeRequest(contextOf(params));
      expect(JSON.stringify(change)).not.toContain(SECRET);
      expect(JSON.stringify(change)).toMatch(/not shown/);
    }
  });

  it('shows no value of an item whose column suggests a secret', () => {
    const item = { id: '1', display_name: 'One', raw_data: { token: SECRET, more: { password: SECRET } } };
    for (const params of [
      { body: { t: '{{.token}}', all: '{{.more}}' } },
      { url: 'https://api.example.com/{{id}}?t={{.token}}' },
    ]) {
      const preview = previewRequest(item, contextOf(params));
      expect(JSON.stringify(preview)).not.toContain(SECRET);
      expect(JSON.stringify(preview)).toMatch(/not shown/);
    }
  });

  it('shows the rest as it is', () => {
    const url = 'https://api.example.com/x?page=2&q=a%20b';
    expect(addressWithoutSecrets(url)).toBe(url);
    expect(textWithoutSecrets('{"name": "Ada"}')).toBe('{"name": "Ada"}');
    expect(textWithoutSecrets('plain words')).toBe('plain words');
  });
});

it('knows the secrets of the configuration and of the environment by their names, and takes no short word for one', async () => {
  const config = { secrets: { crm: { env: 'CRM' }, gone: { env: 'MISSING' } }, folder: '/' };
  const env = { CRM: 'the-crm-secret', GITHUB_TOKEN: SECRET, HOME: '/home/of-a-person', X_KEY: 'ab' };
  expect((await knownSecrets(config, env)).sort()).toEqual([SECRET, 'the-crm-secret'].sort());
});
