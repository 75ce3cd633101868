import { CALDAV_ACTIONS } from '../../activities/adapters/caldav/actions';
import { CALENDAR_ACTIONS } from '../../activities/adapters/calendar/actions';
import { GMAIL_ACTIONS } from '../../activities/adapters/gmail/actions';
import { HTTP_ACTIONS } from '../../activities/adapters/http/parameters';
import { IMAP_ACTIONS } from '../../activities/adapters/imap/actions';
import { createSqlAdapter } from '../../activities/adapters/sql';
import { TRELLO_ACTIONS } from '../../activities/adapters/trello/parameters';
import { errorPage } from '../../src/api/pages/error-page';
import { prose, valueView } from '../../src/api/pages/html';
import { mistakesOf, placeError } from '../../src/api/pages/mistakes';
import { startAction, type StartAction } from '../../src/api/pages/start-form';
import { choicePage, formPage } from '../../src/api/pages/start-view';
import { forPeople } from '../../src/api/pages/words';
import type { BulkAdapter } from '../../src/contract/adapter';
import { HTTP_STATUS, type ErrorCode } from '../../src/contract/errors';
import { valuesOf } from '../../src/core/approval/schema-form';
import { describeAdapter, refusedParams } from '../../src/core/bulk/registry';
import { leftoverOf, pageText } from '../helpers/page-text';

const principal = { kind: 'person', id: 'p', name: 'Ada', role: 'admin', form_token: 't' } as const;
const TOOLS = Object.entries({
  gmail: GMAIL_ACTIONS,
  calendar: CALENDAR_ACTIONS,
  trello: TRELLO_ACTIONS,
  imap: IMAP_ACTIONS,
  caldav: CALDAV_ACTIONS,
  sql: createSqlAdapter({ databases: {} as never, concurrency: 1 }).actions,
  http: HTTP_ACTIONS,
}).map(([toolName, actions]) => ({ toolName, actions }) as unknown as BulkAdapter);
const adapters = TOOLS.map(describeAdapter);
const forms = adapters.flatMap(({ adapter: domain, actions }) =>
  actions.map(({ action }) => [domain, action] as const),
);
const actionOf = (domain: string, action: string): StartAction =>
  startAction(adapters, { domain, action }, {});

/** What the page says of a form with these values. */
function mistakesIn(domain: string, action: string, given: Record<string, string>) {
  const { parameters } = actionOf(domain, action);
  const { values, mistakes } = valuesOf(parameters, (name) => given[name]);
  const refused = refusedParams(TOOLS, { domain, action, params: values, explicit_items: false });
  return [...mistakes, ...mistakesOf(refused, values, parameters)];
}

describe('the words of a page', () => {
  it.each(forms)('are for people in the form of %s %s, empty or refused', async (domain, action) => {
    const start = actionOf(domain, action);
    const sent = { fields: new URLSearchParams(), mistakes: mistakesIn(domain, action, {}) };
    for (const page of [formPage({ start, principal }), formPage({ start, principal, sent })]) {
      const text = String(await page);
      expect(leftoverOf(text)).toBeUndefined();
      expect(pageText(text)).not.toMatch(/\b[a-z]+_[a-z]+\b/);
    }
  });

  it('name the tools', async () => {
    const text = pageText(String(await choicePage(adapters, principal)));
    for (const name of ['Gmail', 'Google Calendar', 'Trello', 'Mailbox', 'Database', 'Web service'])
      expect(text).toContain(name);
  });

  it('can say “the whole series”', async () => {
    const page = String(await formPage({ start: actionOf('calendar', 'delete'), principal }));
    expect(page).toMatch(/<option value="false"[^>]*>The whole series as one</);
    expect(page).toMatch(/<option value="true"[^>]*>Each occurrence by itself</);
  });

  it('say a mistake beside its field', () => {
    expect(mistakesIn('gmail', 'label', { label_name: 'Later' })).toEqual(
      ['sender', 'query'].map((name) => ({ name, message: 'Fill in one of these: “From”, “Search”.' })),
    );
    expect(mistakesIn('gmail', 'star', { sender: 'Ana', query: 'is:unread' })).toEqual([
      { name: 'sender', message: 'Give “From” or “Search”, not both.' },
    ]);
    const search = { calendar: 'Team', single_events: 'true', send_updates: 'none' };
    const times = { time_min: '2026-02-01T10:00', time_max: '2026-01-01T10:00' };
    expect(mistakesIn('calendar', 'delete', { ...search, ...times })).toEqual([
      { name: 'time_min', message: expect.stringMatching(/^“Until” is not after “From”\.$/) as string },
    ]);
    expect(mistakesIn('calendar', 'patch', { ...search, 'patch.colorId': '12' })).toEqual([
      { name: 'patch.colorId', message: expect.any(String) as string },
    ]);
    expect(mistakesIn('calendar', 'patch', search).map(({ name }) => name)).toEqual(['patch.colorId']);
    expect(mistakesIn('gmail', 'star', { sender: 'Ana, Ben' })).toEqual([
      { name: 'sender', message: 'Write each on a line of its own.' },
    ]);
    expect(mistakesIn('trello', 'set_due', { board: 'Work' })).toEqual([
      { name: 'due', message: 'Fill this in.' },
    ]);
    expect(mistakesIn('trello', 'set_due', { board: 'Work', 'due:none': 'true' })).toEqual([]);
  });

  it('put what a tool says beside the field whose value it names', () => {
    const error = {
      code: 'INVALID_INPUT',
      message: "Label 'Later' not found",
      hint: 'Use create_label.',
    } as const;
    const { fields } = actionOf('gmail', 'label');
    const given = { label_name: 'Later', sender: 'Ana' } as Record<string, string>;
    expect(placeError(error, (name) => given[name], fields)).toEqual([
      { name: 'label_name', message: "Label 'Later' not found. Use “Create the label if there is none”." },
    ]);
  });

  it.each(Object.keys(HTTP_STATUS) as ErrorCode[])(
    'are for people on a page with the error %s',
    async (code) => {
      const message = `${code}: POST /v1/x failed with {"error":"busy"} at 2026-01-05T10:00:00Z.`;
      const hint = '[HINT]: Run `npx batchgate doctor` with BATCHGATE_LOG_LEVEL=debug.';
      const page = String(await errorPage({ code, message, hint }, principal));
      expect(leftoverOf(page)).toBeUndefined();
      // The details are folded.
      expect(page).toContain(code);
      expect(page).toContain('batchgate doctor');
    },
  );

  it('leave out the sentences that are for a terminal, and no name', () => {
    expect(forPeople('It is gone. Run `npx batchgate link`. Or look at batchgate.config.json again.')).toBe(
      'It is gone.',
    );
    expect(forPeople('The label “{x} UTC” is gone.')).toBe('The label “{x} UTC” is gone.');
    expect(forPeople("Label 'A_B {c}' not found")).toBe("Label 'A_B {c}' not found");
    expect(forPeople('- A {b} (m_1): full', ['A {b}', 'm_1'])).toBe('- A {b} (m_1): full');
  });

  it('show times in the zone of the reader, and leave those in names alone', async () => {
    const at = (iso: string) => `<time datetime="${iso}">`;
    const text = String(
      await prose('Due 2026-12-24 18:00 UTC, or “2026-12-24 18:00 UTC”, or 2026-12-24T18:00:00+01:00.'),
    );
    expect(text).toContain(at('2026-12-24T18:00:00.000Z'));
    expect(text).toContain(at('2026-12-24T17:00:00.000Z'));
    expect(text).toContain('“2026-12-24 18:00 UTC”');
    expect(String(await prose('24 Dec 2026, 18:00 UTC'))).toContain(at('2026-12-24T18:00:00.000Z'));
    expect(String(await valueView('2026-12-24T18:00:00Z'))).toContain(at('2026-12-24T18:00:00.000Z'));
    expect(String(await valueView('at 2026-12-24T18:00:00Z'))).not.toContain('<time');
  });
});
