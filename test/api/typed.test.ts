import { cancelBulkOperation, continueBulkOperation, startMacro, startTaskRun } from '../../src/client';
import { countingTool, startHarness, type Harness } from '../helpers/harness';
import { startHttpApi, type HttpApi } from '../helpers/http-api';
import { hurriedly } from '../helpers/hurry';
import { visitorOf, type Visitor } from '../helpers/sign-in';

/** What was typed in a form that the server refuses, without a browser. */
let harness: Harness;
let http: HttpApi;
let ada: Visitor;
type Visit = Awaited<ReturnType<Visitor['visit']>>;
const WORDS = 'because "Bob" <said> so';
const AS_SHOWN = 'because &quot;Bob&quot; &lt;said&gt; so';
/** No page shows this character, and no database stores it. */
const UNFIT = `${WORDS}\0`;

beforeAll(async () => {
  const deadlines = [{ default_seconds: 3_600, max_seconds: 86_400 }];
  harness = await startHarness({ adapters: [countingTool(12).adapter], deadlines });
  http = await startHttpApi(harness, { hasModel: true });
  ada = await visitorOf(http);
});
afterAll(async () => {
  await http?.close();
  await harness?.close();
});
afterEach(() => expect(http.failures.splice(0)).toEqual([]));

const start = async () => {
  const { operation_id } = await harness.start({});
  return `/operations/${encodeURIComponent(operation_id)}`;
};
const idOf = (own: string) => decodeURIComponent(own.split('/').at(-1) ?? '');

/** The fields that the form of a question contains. */
function fieldsIn(page: string): Record<string, string> {
  const form = page.slice(page.indexOf('class="decide"'));
  const value = (name: string) => new RegExp(`name="${name}"[^>]*?value="([^"]*)"`).exec(form)?.[1] ?? '';
  const names = ['decision_id', 'batch', 'attempt', 'digest', 'shown', 'shown_at'];
  return Object.fromEntries(names.map((name) => [name, value(name)]));
}

/** The tag of a field, and the folded part of the page that it is in. */
function fieldIn({ page }: Visit, id: string) {
  const at = page.search(new RegExp(`<(input|textarea|select)\\s[^>]*id="${id}"`));
  const tag = page.slice(at, page.indexOf('</', at));
  return { tag, fold: page.slice(page.lastIndexOf('<details', at), at).split('>')[0] };
}

function expectKept(visit: Visit, id: string, fold: string) {
  expect(visit.status).toBeGreaterThanOrEqual(400);
  const field = fieldIn(visit, id);
  expect(field.tag).toContain(`value="${AS_SHOWN}"`);
  expect(field.fold).toMatch(new RegExp(`id="${fold}"\\s+open`));
}

describe('what was typed in a form that is refused', () => {
  it.each([
    ['cancel', 'reason', 'cancel-reason', 'cancel'],
    ['complete', 'reason', 'complete-reason', 'complete'],
    ['continue', 'note', 'note', 'more-of-the-answer'],
  ])('stays in the form: %s', async (verb, name, id, fold) => {
    const own = await start();
    const { page } = await ada.visit(own);
    const visit = await ada.send(`${own}/${verb}`, { ...fieldsIn(page), keep: '0', [name]: UNFIT });
    expectKept(visit, id, fold);
    expect(visit.page.split(AS_SHOWN).length - 1).toBe(1);
    // It is that form's alone, and of this one answer.
    expect((await ada.visit(own)).page).not.toContain(AS_SHOWN);
  });

  it('stays for a press that came too early, with the reason of what is left out', async () => {
    const { visit, back } = await hurriedly(async () => {
      const own = await start();
      const { page } = await ada.visit(own);
      const since = parseInt(fieldsIn(page)['shown_at'] ?? '');
      const visit = await ada.send(`${own}/continue`, {
        ...fieldsIn(page),
        ...{ keep: '1', note: WORDS, reason: 'not this one', later: '28800' },
      });
      const back = await ada.send(`${own}/revise`, { ...fieldsIn(page), note: WORDS });
      return { took: Date.now() - since, answer: { visit, back } };
    });
    // What was to run later must not run at once when the button is pressed again.
    expect(visit.page).toMatch(/<option value="28800" selected>/);
    expect(visit.page).toContain('had been on the page for two seconds');
    expectKept(visit, 'note', 'more-of-the-answer');
    expect(fieldIn(visit, 'left-out-reason').tag).toContain('value="not this one"');
    expect(fieldIn(back, 'revise-note').tag).toContain(AS_SHOWN);
    expect(fieldIn(back, 'note').tag).toContain('value=""');
  });

  it('stays with the choice of how much more time', async () => {
    const own = await start();
    const visit = await ada.send(`${own}/extend`, { seconds: '259200' });
    expect(visit.page).toMatch(/<details id="extend" open>/);
    expect(visit.page).toMatch(/<option value="259200" selected>/);
  });

  it('is shown where its form is gone', async () => {
    const own = await start();
    const { page } = await ada.visit(own);
    await continueBulkOperation(harness.client, idOf(own), { batch: 1 });
    const stale = { ...fieldsIn(page), keep: '1', reason: WORDS, note: 'and a note' };
    const next = await ada.send(`${own}/continue`, stale);
    expect(next.page).toContain('Nothing was run by your click');
    expect(next.page).toMatch(new RegExp(`<dt>Your reason</dt>\\s*<dd><bdi class="name">${AS_SHOWN}</bdi>`));
    expect(fieldIn(next, 'note').tag).toContain('value="and a note"');
    await cancelBulkOperation(harness.client, idOf(own), {});
    for (const verb of ['cancel', 'complete', 'continue']) {
      const late = await ada.send(`${own}/${verb}`, { reason: WORDS, note: 'and a note', digest: 'x' });
      expect([late.status, late.page.includes(AS_SHOWN)]).toEqual([expect.any(Number), true]);
    }
    const missing = await ada.send('/operations/none/cancel', { reason: WORDS });
    expect([missing.status, missing.page.includes(AS_SHOWN)]).toEqual([404, true]);
  });

  it('stays on the page of a link', async () => {
    const own = await start();
    const made = await http.done('POST', `/v1/operations/${idOf(own)}/links`, {
      body: { name: 'Mia' },
    });
    const { pathname } = new URL((made.body as { url: string }).url);
    const { page } = await ada.visit(pathname);
    expectKept(await ada.send(`${pathname}/cancel`, { reason: UNFIT }), 'cancel-reason', 'cancel');
    const early = { ...fieldsIn(page), keep: '0', note: WORDS };
    expectKept(await ada.send(`${pathname}/continue`, early), 'note', 'more-of-the-answer');
  });

  it('stays on the pages of task runs, macros and conversations', async () => {
    const { client, taskQueue: task_queue } = harness;
    const { task_run_id } = await startTaskRun(client, { goal: 'File them' }, { task_queue });
    const run = await ada.send(`/task-runs/${task_run_id}/complete`, { reason: UNFIT });
    expectKept(run, 'reason', 'complete');
    const steps = [{ type: 'ask' as const, of: 'person' as const, prompt: 'Which?', output_variable: 'x' }];
    const { run_id } = await startMacro(client, { macro: { name: 'asks', steps } }, { task_queue });
    const answer = { question: '7', answer: WORDS };
    const gone = await ada.send(`/macros/${run_id}/answer`, answer);
    expect(gone.page).toContain(`<bdi class="name">${AS_SHOWN}</bdi>`);
    const told = await ada.send('/sessions/typed/messages', { message_id: 'one', text: UNFIT });
    expect(fieldIn(told, 'text').tag).toContain(AS_SHOWN);
  });
});
