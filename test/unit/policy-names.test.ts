import { calendarsNamed } from '../../activities/adapters/calendar/calendars';
import { createGmailAdapter } from '../../activities/adapters/gmail';
import { sentParams } from '../../activities/adapters/http';
import { sentAddress } from '../../activities/adapters/http/address';
import type { PreparedEmails } from '../../activities/adapters/imap/emails';
import { namesIn as namesInMailbox } from '../../activities/adapters/imap/names';
import { shortName } from '../../activities/adapters/sql/prepare';
import type { PreparedCards } from '../../activities/adapters/trello/cards';
import { namesIn as namesOnBoard } from '../../activities/adapters/trello/names';
import { namesForPolicies, underPolicy } from '../../activities/bulk/policing';
import { BatchgateError } from '../../src/contract/errors';
import { policiesSchema } from '../../src/core/policy/rules';
import { tableNameOf, tableNameParts } from '../../src/postgres/databases/table-name';

/** The spelling of a name that policies compare. */
const named = (name: string) => ({ id: `id of ${name}`, name });

it.each([
  ['HTTPS://API.Example:443/users/{{id}}', 'https://api.example/users/{{id}}'],
  ['https://api.example', 'https://api.example/'],
  ['https://api.example/pay?', 'https://api.example/pay'],
  [
    'http://api.example:8080/%75sers/%2e5?a=%7eb&c={{.x y}}',
    'http://api.example:8080/users/.5?a=~b&c={{.x y}}',
  ],
  ['https://api.example/ü/%c3%bc/x0x%780x', 'https://api.example/%C3%BC/%C3%BC/x0xx0x'],
  ['https://api.example/{{id}}/{{.a}}?{{id}}', 'https://api.example/{{id}}/{{.a}}?{{id}}'],
])('the address %s is sent as %s', (url, sent) => {
  expect(sentAddress(url)).toBe(sent);
  expect(sentAddress(sent)).toBe(sent);
  const other = { method: 'DELETE' as const, url };
  expect(sentParams({ url, read: { url, select: 'body.x' }, undo: other })).toEqual({
    ...{ url: sent, read: { url: sent, select: 'body.x' }, undo: { ...other, url: sent } },
  });
  expect(sentParams({ url })).toEqual({ url: sent });
});

it.each([[['users']], [['audit', 'users']], [['a.b']], [['a"b', 'c d']]])(
  'a table %j has a name that is read back',
  (parts) => {
    expect(tableNameParts(tableNameOf(parts))).toEqual(parts);
  },
);

it('a table has its schema only if the bare name means another one', async () => {
  const mistake = new BatchgateError('INVALID_INPUT', 'It is a view.', 'Name a table.');
  const engine = (visible: Promise<unknown>) => ({ findTable: () => visible as never });
  const nameWith = (visible: Promise<unknown>) =>
    shortName(engine(visible), undefined as never, { schema: 'public', name: 'users' });
  expect(await nameWith(Promise.resolve({ schema: 'public', name: 'users' }))).toBe('users');
  expect(await nameWith(Promise.resolve({ schema: 'audit', name: 'users' }))).toBe('public.users');
  expect(await nameWith(Promise.reject(mistake))).toBe('public.users');
  await expect(nameWith(Promise.reject(new Error('no connection')))).rejects.toThrow('no connection');
});

it('labels, calendars, boards and folders have the names of the tool', async () => {
  const gmail = createGmailAdapter({ accessToken: () => Promise.reject(new Error('no request')) });
  const label = (action: string, name: string) =>
    gmail.resolvedParams?.(
      { tool_name: 'gmail', action, query_params: {}, action_params: { label: named(name) } },
      [],
      { signal: new AbortController().signal, deadline: Infinity },
    );
  expect(await label('label', 'Finance')).toEqual({ label_name: 'Finance' });
  expect(await label('trash', 'TRASH')).toEqual({});
  const calendars = { action: 'move', undo: false, change: { calendar: named('Team'), target: named('Me') } };
  expect(calendarsNamed(calendars)).toEqual({ calendar: 'Team', target_calendar: 'Me' });

  const cards = (action: string, more: Partial<PreparedCards>): PreparedCards => ({
    ...{ action, change: {}, undo: false },
    ...more,
  });
  const member = { id: 'm', username: 'ana', fullName: 'Ana Duarte' };
  const board = (prepared: PreparedCards) =>
    namesOnBoard(prepared, { member: () => Promise.resolve(member) });
  const query = { board: named('Product'), list: named('To do'), label: named('Bug') };
  expect(await board(cards('move', { query, change: named('Doing') }))).toEqual({
    ...{ board: 'Product', list: 'To do', label: 'Bug', target_list: 'Doing' },
  });
  const change = { ...named('Bug'), board: named('Product') };
  expect(await board(cards('add_label', { change }))).toEqual({ board: 'Product', label_name: 'Bug' });
  expect(await board(cards('assign', { change: named('Ana Duarte') }))).toEqual({ member: 'ana' });

  const emails = (action: string, more: Partial<PreparedEmails>) =>
    namesInMailbox(
      { action, change: {}, undo: false, ...more },
      { keywords: (folder) => Promise.resolve({ known: folder === 'Bills' ? ['Finance'] : [], open: true }) },
      [{ id: 'INBOX/1/2' }, { id: 'Bills/1/3' }, { id: 'none' }],
    );
  const folder = named('INBOX');
  expect(await emails('move', { query: { folder }, change: { folder: named('Work') } })).toEqual({
    ...{ folder: 'INBOX', target_folder: 'Work' },
  });
  expect(await emails('trash', { query: { folder }, change: { folder: named('Trash') } })).toEqual({
    folder: 'INBOX',
  });
  expect(await emails('label', { query: { folder }, change: { flag: 'Later' } })).toEqual({
    ...{ folder: 'INBOX', label_name: 'Later' },
  });
  expect(await emails('label', { change: { flag: 'FINANCE' } })).toEqual({ label_name: 'Finance' });
  expect(await emails('label', { change: { flag: 'Other' } })).toEqual({ label_name: 'Other' });
  expect(await emails('flag', { change: { flag: '\\Flagged' } })).toEqual({});
});

it('a policy compares the name of the tool, and not the one that was typed', async () => {
  const policies = policiesSchema.parse([
    { name: 'users', when: 'domain == "sql" && params.table == "users"', refuse: 'No.' },
  ]);
  const context = { tool_name: 'sql', action: 'delete', query_params: {}, action_params: {} };
  const adapter = { resolvedParams: () => ({ table: 'users' }) };
  const parts = { adapters: { get: () => adapter }, settings: { read_timeout_ms: 1_000 } } as never;
  expect(await namesForPolicies(Object.assign({}, parts), context, [])).toEqual({});
  const resolved = await namesForPolicies(Object.assign({}, parts, { policies }), context, []);
  const params = { table: '"users"' };
  const input = { domain: 'sql', action: 'delete', params, batch_size: 10, terms: {} };
  const prepared = { context, change_params: params, change: { reversible: 'no' } };
  const judge = (names: Record<string, unknown>) => () =>
    underPolicy({ policies }, input as never, {
      ...{ prepared: prepared as never, items: [], resolved: names, isWhole: true },
    });
  const agents = policiesSchema.parse([{ name: 'agents', when: 'agent', refuse: 'No.' }]);
  const asked = (by_agent?: true) => () =>
    underPolicy({ policies: agents }, { ...input, terms: { by_agent } } as never, {
      ...{ prepared: prepared as never, items: [], resolved: {}, isWhole: true },
    });
  expect(asked(true)).toThrow('The policy “agents” refuses this');
  expect(asked()).not.toThrow();
  expect(judge(resolved)).toThrow('The policy “users” refuses this');
  expect(judge({})).not.toThrow();
});
