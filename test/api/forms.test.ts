import { createDiary } from '../helpers/diary';
import { startHarness, type Harness } from '../helpers/harness';
import { startHttpApi, type HttpApi } from '../helpers/http-api';
import { leftoverOf } from '../helpers/page-text';
import { visitorOf, type Visitor } from '../helpers/sign-in';

/** The forms that start an operation, without a browser. */
let harness: Harness;
let http: HttpApi;
let ada: Visitor;
const diary = createDiary();
const FORM = '/start/diary/mark';

beforeAll(async () => {
  harness = await startHarness({ adapters: [diary.adapter] });
  http = await startHttpApi(harness, {
    limits: { min_batch_size: 5, max_batch_size: 20, max_total_items: 200 },
  });
  ada = await visitorOf(http);
});
afterAll(async () => {
  await http?.close();
  await harness?.close();
});
afterEach(() => {
  diary.prepared.splice(0);
  expect(http.failures.splice(0)).toEqual([]);
});

const operationAt = (location: string) => decodeURIComponent(location.split('/').at(-1) ?? '');

/** The control of a field, and what describes it. */
function controlOf(page: string, name: string) {
  const id = `field-${name.replaceAll('.', '-')}`;
  const [control = ''] = new RegExp(`<(?:input|select|textarea)\\s[^>]*id="${id}"[^>]*>`).exec(page) ?? [];
  const [, described = ''] = /aria-describedby="([^"]*)"/.exec(control) ?? [];
  const words = described
    .split(' ')
    .map((one) => new RegExp(`id="${one}"[^>]*>([^<]*)`).exec(page)?.[1]?.trim());
  return {
    control,
    words,
    isBad: control.includes('aria-invalid="true"'),
    hasFocus: /\bautofocus\b/.test(control),
  };
}

/** Sends a form with a mistake. Nothing may be started for it. */
async function refused(fields: Record<string, string>, file?: File): Promise<string> {
  const { status, page } = await ada.send(FORM, fields, file);
  expect(status).toBe(400);
  expect(page).toContain('Nothing was started');
  expect(diary.prepared).toEqual([]);
  expect(leftoverOf(page)).toBeUndefined();
  return page;
}

describe('a form with mistakes', () => {
  it('says each beside its field and in a summary, focuses the first, and keeps what was typed', async () => {
    const typed = { text: 'Stand-up', shift_minutes: 'ten', colour: 'blue', batch_size: '7.5' };
    const page = await refused(typed);
    const [minutes, size, text] = ['shift_minutes', 'batch_size', 'text'].map((name) =>
      controlOf(page, name),
    );
    expect(minutes).toMatchObject({ isBad: true, hasFocus: true });
    expect(minutes?.words).toContain(
      'Write a whole number from -100 to 100 with the digits 0 to 9, such as 10.',
    );
    expect(size).toMatchObject({ isBad: true, hasFocus: false });
    expect(text).toMatchObject({ isBad: false, hasFocus: false });
    expect(page.match(/\bautofocus\b/g)).toHaveLength(1);
    for (const name of ['shift_minutes', 'batch_size']) expect(page).toContain(`<a href="#field-${name}">`);
    for (const value of ['Stand-up', 'ten', '7.5']) expect(page).toContain(`value="${value}"`);
    expect(page).toMatch(/<option value="blue"\s+selected/);
  });

  it.each(['ten', '7.5', '１０', '1e1', '0x0a', '101', '-101', '9007199254740993'])(
    'takes %s for no number of minutes',
    async (shift_minutes) => {
      const page = await refused({ text: 'Stand-up', shift_minutes });
      expect(controlOf(page, 'shift_minutes').isBad).toBe(true);
    },
  );

  it.each(['ten', '7.5', '１０', '4', '21', '-5'])('takes %s for no size of a batch', async (batch_size) => {
    const page = await refused({ text: 'Stand-up', shift_minutes: '5', batch_size });
    expect(controlOf(page, 'batch_size')).toMatchObject({ isBad: true, hasFocus: true });
  });

  it('names what is missing, also where one of several fields is enough, by the labels of the page', async () => {
    const page = await refused({});
    expect(controlOf(page, 'shift_minutes').words).toContain('Fill this in.');
    for (const name of ['text', 'since'])
      expect(controlOf(page, name).words).toContain('Fill in one of these: “Text”, “Since”.');
    expect(controlOf(page, 'text').hasFocus).toBe(true);
  });

  it('says a rule about several fields beside the first of them', async () => {
    const page = await refused({ text: 'Stand-up', shift_minutes: '13', notify_guests: 'true' });
    expect(controlOf(page, 'shift_minutes').words).toContain(
      '“Shift minutes” cannot be 13 together with “Notify guests”.',
    );
  });

  it('refuses values that a form of the page cannot send', async () => {
    for (const [name, value] of [
      ['notify_guests', 'maybe'],
      ['colour', 'green'],
      ['since', 'tomorrow'],
      ['due_at', '2026-02-30T10:00'],
      ['seats', 'a\nlonger than five'],
      ['text', 'x'.repeat(51)],
    ] as const) {
      const page = await refused({ text: 'Stand-up', shift_minutes: '5', [name]: value });
      expect([name, controlOf(page, name).isBad]).toEqual([name, true]);
    }
  });

  it('says beside the field what only the tool could know', async () => {
    const { status, page } = await ada.send(FORM, { text: 'Nowhere', shift_minutes: '5' });
    expect(status).toBe(400);
    expect(controlOf(page, 'text')).toMatchObject({ isBad: true, hasFocus: true });
    expect(controlOf(page, 'text').words.join()).toContain('not found. Check its name.');
    expect(page).toContain('value="Nowhere"');
  });
});

describe('the values of a form', () => {
  const paramsOf = async (fields: Record<string, string>) => {
    const { status, location } = await ada.send(FORM, { shift_minutes: '5', ...fields });
    expect(status).toBe(303);
    await http.ask('POST', `/v1/operations/${operationAt(location)}/cancel`);
    return diary.prepared.splice(0)[0];
  };

  it('tells true, false and not set apart', async () => {
    expect(await paramsOf({ text: 'a', whole_series: 'false', notify_guests: 'true' })).toEqual({
      ...{ text: 'a', whole_series: false, notify_guests: true, shift_minutes: 5 },
    });
    expect(await paramsOf({ text: 'a', whole_series: '', notify_guests: 'false' })).toEqual({
      ...{ text: 'a', notify_guests: false, shift_minutes: 5 },
    });
    const { page } = await ada.visit(FORM);
    for (const name of ['whole_series', 'notify_guests'])
      expect(
        page
          .split(`id="field-${name}"`)[1]
          ?.match(/<option[^>]*>[^<]*/g)
          ?.slice(0, 3),
      ).toEqual([
        ...[expect.stringMatching(/value="".*>Not set$/s), expect.stringMatching(/="true".*>Yes$/s)],
        expect.stringMatching(/="false".*>No$/s),
      ]);
  });

  it('has times in the zone of the person, no value, and lists', async () => {
    const zone = 'America/New_York';
    expect(
      await paramsOf({ since: '2026-07-01T09:00', zone, 'due_at:none': 'true', seats: 'a\r\nb\r\n' }),
    ).toEqual({ since: '2026-07-01T13:00:00.000Z', due_at: null, seats: ['a', 'b'], shift_minutes: 5 });
    const { page } = await ada.visit(FORM);
    expect(controlOf(page, 'since').control).toContain('type="datetime-local"');
    const kept = await refused({ since: '2026-07-01T09:00', zone, shift_minutes: 'x' });
    expect(controlOf(kept, 'since').control).toContain('value="2026-07-01T09:00"');
    expect(kept).toContain(`name="zone" value="${zone}"`);
  });

  it('suggests values that the tool knows', async () => {
    const suggested = async (query: string) =>
      JSON.parse((await ada.visit(`${FORM}/suggestions?${query}`)).page) as string[];
    expect(await suggested('parameter=text&param.colour=blue')).toEqual([
      'Monday review',
      'of {"colour":"blue"}',
    ]);
    expect(await suggested('parameter=nothing')).toEqual([]);
    expect((await ada.visit(FORM)).page).toContain('<option value="Monday review"></option>');
    expect((await (await visitorOf(http, 'viewer')).visit(`${FORM}/suggestions?parameter=text`)).status).toBe(
      403,
    );
  });
});

describe('a list in a form', () => {
  const LIST = { shift_minutes: '5' };

  it('is not taken together with a search', async () => {
    const page = await refused({ ...LIST, text: 'Stand-up', items: 'e-1, First' });
    expect(controlOf(page, 'text')).toMatchObject({ isBad: true, hasFocus: true });
    expect(controlOf(page, 'text').words.join()).toContain('not both');
    expect(page).toMatch(/>\s*e-1, First<\/textarea/);
  });

  it('is a pasted table, whose columns are shown before anything starts', async () => {
    const items =
      'ID;Display name;Room\r\ne-1;"First; ""A""";North\r\ne-2;;South\r\ne-1;"First; ""A""";North\r\n';
    const { status, page } = await ada.send(`${FORM}/change`, { ...LIST, items });
    expect(status).toBe(200);
    const table = /<table>[\s\S]*<\/table>/
      .exec(page)?.[0]
      .replace(/<[^>]*>|\s+/g, ' ')
      .replace(/\s+/g, ' ');
    expect(table).toBe(' 2 entries Id Name Room e-1 First; &quot;A&quot; North e-2 e-2 South ');
    expect(page).toContain('An id that comes again counts once: line 4.');
    expect(diary.prepared).toEqual([]);
    const { location } = await ada.send(FORM, { ...LIST, items });
    const { next_batch } = await harness.status(operationAt(location));
    expect(next_batch?.items.map(({ id, display_name }) => [id, display_name])).toEqual([
      ['e-1', 'First; "A"'],
      ['e-2', 'e-2'],
    ]);
  });

  it('has its mistakes by line and column, and stays in the form', async () => {
    const items = 'id,name\ne-1,First\n,Second\ne-3,Third,more\n';
    for (const page of [
      await refused({ ...LIST, items }),
      await refused(LIST, new File([items], 'entries.csv')),
    ]) {
      expect(controlOf(page, 'items')).toMatchObject({ isBad: true, hasFocus: true });
      expect(page).toContain('Line 3, column A “id”: the id is empty. Give the row an id, or remove it.');
      expect(page).toContain('Line 4, column C: “more” is beyond the 2 column(s) of the header.');
      expect(page).toContain('e-3,Third,more');
    }
  });

  it('may be a file, and is previewed and started as one', async () => {
    const file = new File(['id,display_name\ne-7,Seventh\n'], 'entries.csv');
    const previewed = await ada.send(`${FORM}/preview`, LIST, file);
    expect(previewed.status).toBe(200);
    const [, expect_digest = ''] = /name="expect_digest" value="(\w+)"/.exec(previewed.page) ?? [];
    const [, items = ''] = /name="items" value="([^"]*)"/.exec(previewed.page) ?? [];
    const { status, location } = await ada.send(FORM, { ...LIST, items, expect_digest });
    expect(status).toBe(303);
    expect(await harness.status(operationAt(location))).toMatchObject({ total: 1, processed: 0 });
  });

  it('of a file is started as it was previewed, also with line breaks and blanks in its cells', async () => {
    const file = new File(
      ['id,display_name,note\r\ne-8,Eighth,"one\r\ntwo"\r\ne-9,," x "\r\n'],
      'entries.csv',
    );
    const previewed = await ada.send(`${FORM}/preview`, LIST, file);
    const [, expect_digest = ''] = /name="expect_digest" value="(\w+)"/.exec(previewed.page) ?? [];
    const [, value = ''] = /name="items" value="([^"]*)"/.exec(previewed.page) ?? [];
    expect(value).toContain('&quot;one\ntwo&quot;');
    // A browser sends each line break as CRLF.
    const items = value.replaceAll('&quot;', '"').replaceAll('\n', '\r\n');
    const { status, location } = await ada.send(FORM, { ...LIST, items, expect_digest });
    expect(status).toBe(303);
    expect(await harness.status(operationAt(location))).toMatchObject({ total: 2, processed: 0 });
  });

  it('that was typed is not replaced by a file, and the list of another file is', async () => {
    const file = (id: string) => new File([`id,display_name\n${id},Entry\n`], 'entries.csv');
    const page = await refused({ ...LIST, items: 'e-1, First' }, file('e-2'));
    expect(controlOf(page, 'items').words.join()).toContain('a list and a file');
    expect(page).toMatch(/>\s*e-1, First<\/textarea/);
    const first = await ada.send(`${FORM}/change`, LIST, file('e-1'));
    const [, items_digest = ''] = /name="items_digest" value="(\w+)"/.exec(first.page) ?? [];
    const items = 'id,display_name\r\ne-1,Entry\r\n';
    const second = await ada.send(`${FORM}/change`, { ...LIST, items, items_digest }, file('e-2'));
    expect(second.page).toMatch(/>\s*id,display_name\ne-2,Entry\s*<\/textarea/);
    const edited = items.replace('Entry', 'Mine');
    await refused({ ...LIST, items: edited, items_digest }, file('e-2'));
  });

  it('is refused if it is empty, too long, or of another kind', async () => {
    const many = Array.from({ length: 201 }, (_, at) => `e-${at}`).join('\n');
    const said = async (fields: Record<string, string>, file?: File) =>
      controlOf(await refused({ ...LIST, ...fields }, file), 'items').words.join();
    expect(await said({ items: 'id,name\n' })).toContain('The list has no items.');
    expect(await said({ items: many })).toContain('201 items, and one operation takes at most 200');
    expect(await said({}, new File(['x'], 'entries.pdf'))).toContain(
      'ends in none of .csv, .tsv, .txt, .xlsx',
    );
    expect(await said({}, new File(['name\nx\n'], 'entries.csv'))).toContain('the header has no column id');
    const locked = new File([new Uint8Array([0xd0, 0xcf, 0x11, 0xe0])], 'entries.xlsx');
    expect(await said({}, locked)).toContain('without a password');
  });
});
