import { DELETE, UPDATE } from '../../activities/adapters/sql/parameters';
import { describeAdapter } from '../../src/core/bulk/registry';
import { createFakeAdapter } from '../../src/testing/fake-adapter';
import { rowsOfSchema } from '../../src/core/approval/row-form';
import { manyItems, startHarness, type Harness } from '../helpers/harness';
import { startHttpApi, type HttpApi } from '../helpers/http-api';
import { leftoverOf } from '../helpers/page-text';
import { visitorOf, type Visitor } from '../helpers/sign-in';

/** Conditions and new values as rows of the form that starts an operation, without a browser and without scripts. */
const prepared: Record<string, unknown>[] = [];
const base = createFakeAdapter({
  toolName: 'sql',
  items: () => manyItems(3),
  apply: () => Promise.resolve(),
});
const adapter = {
  ...base,
  actions: { update_rows: UPDATE, delete_rows: DELETE },
  prepare: (...[request, limits]: Parameters<typeof base.prepare>) => {
    prepared.push(request.params);
    return base.prepare({ ...request, action: 'mark', params: { group: 'all' } }, limits);
  },
};
let harness: Harness;
let http: HttpApi;
let ada: Visitor;
const FORM = '/start/sql/update_rows';
const TABLE = { database: 'shop', table: 'orders' };

beforeAll(async () => {
  harness = await startHarness({ adapters: [adapter] });
  http = await startHttpApi(harness);
  ada = await visitorOf(http);
});
afterAll(async () => {
  await http?.close();
  await harness?.close();
});
afterEach(() => {
  prepared.splice(0);
  expect(http.failures.splice(0)).toEqual([]);
});

/** The names of the fields that a person sees, and what they hold. */
function fieldsOn(page: string): Record<string, string> {
  const tags = [...page.matchAll(/<(input|select|textarea)\b([^>]*)>([^]*?)(?=<\/(?:select|textarea)|<|$)/g)];
  return Object.fromEntries(
    tags.flatMap(([, tag = '', attributes = '', text = '']) => {
      const [, name = ''] = /\bname="([^"]*)"/.exec(attributes) ?? [];
      const [, value = ''] = /\bvalue="([^"]*)"/.exec(attributes) ?? [];
      return /type="(hidden|checkbox|file)"/.test(attributes)
        ? []
        : [[name, tag === 'textarea' ? text.trim() : value]];
    }),
  );
}
const row = (field: string, at: number, cells: Record<string, string>) =>
  Object.fromEntries(Object.entries(cells).map(([part, value]) => [`${field}.${at}.${part}`, value]));

it('has a row for each condition and each new value, and one more whenever a person asks for it', async () => {
  const { page } = await ada.visit(FORM);
  expect(Object.keys(fieldsOn(page))).toEqual(
    expect.arrayContaining(['where.0.column', 'where.0.op', 'where.0.value', 'set.0.name', 'set.0.value']),
  );
  expect(leftoverOf(page)).toBeUndefined();
  expect(page).not.toContain('For technical people');
  for (const op of ['=', 'not_in', 'ilike', 'is_null'])
    expect(page).toMatch(new RegExp(`<option value="${op}"`));
  const [, add = ''] = /formaction="([^"#]*\?add=where)#field-where-1-column"/.exec(page) ?? [];
  const typed = { ...TABLE, ...row('where', 0, { column: 'city', op: 'ilike', value: 'B%' }) };
  const more = await ada.send(add, typed);
  expect(more.status).toBe(200);
  expect(fieldsOn(more.page)).toMatchObject({ 'where.0.value': 'B%', 'where.1.column': '' });
  const third = await ada.send(add, { ...typed, 'where:rows': '2' });
  expect(fieldsOn(third.page)).toHaveProperty(['where.2.op']);
  expect(prepared).toEqual([]);
});

it('starts with the values of all rows, keeps texts as they were typed, and leaves out empty rows', async () => {
  const fields = {
    ...TABLE,
    ...row('where', 0, { column: '', op: '', value: '' }),
    ...row('where', 1, { column: 'city', op: '=', value: '1.10' }),
    ...row('where', 3, { column: 'size', op: 'in', value: 'M\r\nL, wide\r\n' }),
    ...row('where', 4, { column: 'left', op: 'is_null' }),
    ...row('set', 0, { name: 'note', value: 'true' }),
    ...row('set', 1, { name: 'tags', value: '["a"]' }),
    ...row('set', 2, { name: 'gone', 'value:none': 'true' }),
  };
  const { page, location } = await ada.send(FORM, fields);
  expect(page).toBe('');
  expect(location).toMatch(/^\/operations\//);
  expect(prepared).toEqual([
    {
      ...TABLE,
      where: [
        { column: 'city', op: '=', value: '1.10' },
        { column: 'size', op: 'in', value: ['M', 'L, wide'] },
        { column: 'left', op: 'is_null' },
      ],
      set: { note: 'true', tags: ['a'], gone: null },
    },
  ]);
});

it('says each mistake beside its cell, and keeps all rows', async () => {
  const fields = {
    ...TABLE,
    ...row('where', 1, { column: 'city', op: 'is_null', value: 'x' }),
    ...row('where', 2, { column: '', op: '=', value: 'y' }),
    ...row('where', 3, { column: 'size', op: 'near', value: 'z' }),
    ...row('set', 0, { name: 'note', value: 'a' }),
    ...row('set', 1, { name: 'note', value: 'b' }),
  };
  const { status, page } = await ada.send(FORM, fields);
  expect(status).toBe(400);
  const bad = [...page.matchAll(/id="field-([\w-]+)-mistake"/g)].map(([, id]) => id);
  expect(bad).toEqual(['where-0-value', 'where-1-column', 'where-2-op', 'set-1-name']);
  expect(page.match(/\bautofocus\b/g)).toHaveLength(1);
  expect(fieldsOn(page)).toMatchObject({ 'where.0.value': 'x', 'where.1.value': 'y', 'where.2.value': 'z' });
  const none = await ada.send(FORM, TABLE);
  expect(none.page).toMatch(/id="field-where-mistake"/);
  // What only the schema of the tool knows.
  const long = await ada.send(FORM, {
    ...TABLE,
    ...row('where', 1, { column: 'city', op: 'is_null' }),
    ...row('where', 2, { column: 'x'.repeat(70), op: '=', value: 'y' }),
    ...row('set', 0, { name: 'note', value: 'a' }),
  });
  expect(long.page).toContain('id="field-where-1-column-mistake"');
  expect(prepared).toEqual([]);
});

it('previews what the rows say, and still takes what programs write', async () => {
  const where = { ...TABLE, ...row('where', 0, { column: 'city', op: '=', value: 'Bonn' }) };
  const { page } = await ada.send('/start/sql/delete_rows/preview', where);
  expect(page).toContain('name="where.0.value" value="Bonn"');
  const written = JSON.stringify([{ column: 'city', op: '=', value: 7 }]);
  await ada.send('/start/sql/delete_rows', { ...TABLE, where: written });
  expect(prepared.map(({ where: asked }) => asked)).toEqual([
    [{ column: 'city', op: '=', value: 'Bonn' }],
    [{ column: 'city', op: '=', value: 7 }],
  ]);
  const listed = await ada.send('/start/sql/delete_rows', { ...where, items: '1' });
  expect([listed.status, listed.page.includes('id="field-where-mistake"')]).toEqual([400, true]);
});

it('has no rows for values of several levels', () => {
  const { actions } = describeAdapter(adapter);
  expect(actions.map(({ action }) => action)).toEqual(['update_rows', 'delete_rows']);
  const deep = { type: 'array', items: { type: 'object', properties: { a: { type: 'object' } } } };
  expect([rowsOfSchema(deep), rowsOfSchema({ type: 'array', items: { type: 'string' } })]).toEqual([
    undefined,
    undefined,
  ]);
});
