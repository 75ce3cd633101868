import {
  addressWithoutSecrets,
  describeRequest,
  textWithoutSecrets,
} from '../../activities/adapters/http/describe';
import { previewRequest } from '../../activities/adapters/http/render';
import { settingsOf, summaryOf } from '../../activities/adapters/sql/words';
import type { LedgerRecord } from '../../src/contract/ledger-record';
import { revisionOf } from '../../src/core/bulk/revisions';
import { knownSecrets } from '../../src/host/secrets';
import { notKept } from '../../src/postgres/databases/typed-values';

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

describe('the question of a database', () => {
  const prepared = {
    ...{ action: 'update', undo: false },
    query: { where: [{ column: 'ssn', op: '=' as const, value: SECRET }] },
    change: {
      database: 'shop',
      table: { schema: 'public', name: 'people', key: ['id'] },
      set: { iban: SECRET, state: 'moved' },
      marks: null,
    },
  };

  it('shows no value of a private column, neither of a condition nor of the change', () => {
    expect(summaryOf(prepared)).toBe(
      'Set iban to (not shown), state to “moved” in each row of public.people in shop where ssn = (not shown).',
    );
    expect(settingsOf(prepared)).toEqual([
      { name: 'iban', to: '(not shown)' },
      { name: 'state', to: 'moved' },
    ]);
  });

  it('names what differs in a later plan, and no private value of it', () => {
    const of = (value: string) => ({
      where: [{ column: 'ssn', op: '=', value }],
      set: { iban: value, settings: { pin: value }, state: 'moved' },
    });
    const record = (value: string, sent_back?: object) =>
      ({
        ...{ operation_id: 'sent', domain: 'sql', action: 'update', batch_size: 5, items: [] },
        ...{ change_params: of(value), status: { sent_back } },
      }) as unknown as LedgerRecord;
    const revision = revisionOf(record(SECRET, { note: 'another', at: '2026' }), record(`${SECRET}-too`));
    expect(revision?.differences).toMatchObject([{ name: 'where' }, { name: 'set' }]);
    expect(JSON.stringify(revision)).toContain('moved');
    expect(JSON.stringify(revision)).not.toContain(SECRET);
  });

  it('names a private column that does not take its value, and not the value', () => {
    const type = { type: 'varchar(3)', base: 'text', stored: 'varchar(3)', category: 'S', json: false };
    const { message } = notKept({ column: { name: 'pin', ...type }, text: SECRET, assigned: true }, 'people');
    expect(message).toContain("The column 'pin' of people is of type varchar(3)");
    expect(message).not.toContain(SECRET);
  });
});

it('knows the secrets of the configuration and of the environment by their names, and takes no short word for one', async () => {
  const config = { secrets: { crm: { env: 'CRM' }, gone: { env: 'MISSING' } }, folder: '/' };
  const env = { CRM: 'the-crm-secret', GITHUB_TOKEN: SECRET, HOME: '/home/of-a-person', X_KEY: 'ab' };
  expect((await knownSecrets(config, env)).sort()).toEqual([SECRET, 'the-crm-secret'].sort());
});
