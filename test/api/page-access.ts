import type { Page } from 'playwright-core';
import {
  editBulkOperation,
  reviseBulkOperation,
  startMacro,
  startTaskRun,
  withdrawBulkOperation,
} from '../../src/client';
import { confirmOpen } from '../helpers/confirm';
import { waitingConversation } from './page-conversation';
import { confirmAll, pageOf, signedIn, stage, start, violations } from '../helpers/page-stage';

type Visit = (page: Page) => Promise<unknown>;

/** Operations by what a person answered instead of a plain yes. */
async function otherAnswers(): Promise<
  Record<
    'edited' | 'scheduled' | 'takenBack' | 'back' | 'again' | 'growing' | 'approved' | 'throttled',
    string
  >
> {
  const { client } = stage.harness;
  const begin = (more: object = {}) => start('fake', { params: { group: 'all', mark: 'Later' }, ...more });
  const [edited, scheduled, takenBack, back] = await Promise.all([begin(), begin(), begin(), begin()]);
  await editBulkOperation(client, edited, { change: { mark: 'Archive' }, by: 'Ada' });
  const not_before = new Date(Date.now() + 7_200_000).toISOString();
  for (const id of [scheduled, takenBack]) await confirmOpen(client, id, { not_before });
  await withdrawBulkOperation(client, takenBack, { by: 'Ada' });
  await reviseBulkOperation(client, back, { note: 'Archive them instead.', batch: 1, by: 'Ada' });
  const growing = await begin({ batch_size: undefined, batch_sizes: [1, 5, 20], reason: 'They are old.' });
  const again = await begin({ params: { group: 'all', mark: 'Archive' }, revises: back });
  const approved = await begin({ requested_by: 'Two' });
  stage.refuseUntil(not_before);
  const throttled = await start('busy');
  await confirmOpen(client, throttled);
  return { edited, scheduled, takenBack, back, again, growing, approved, throttled };
}

/** A visit to every kind of page, by what the page shows. The last one signs out. */
async function everyPage(): Promise<Record<string, Visit>> {
  const { client, taskQueue: task_queue } = stage.harness;
  const waiting = await start('fake', { params: { group: 'all', mark: 'Later' }, session_id: 'axe' });
  const [failed, doubtful] = [await start('shaky'), await start('doubtful')];
  for (const id of [failed, doubtful]) await confirmAll(id);
  const expired = await start('fake', { idle_timeout_seconds: 1, session_id: 'axe-gone' });
  await client.workflow.getHandle(expired).result();
  const { task_run_id } = await startTaskRun(client, { goal: 'Read' }, { task_queue });
  const question = { type: 'ask' as const, prompt: 'Which list?', of: 'person' as const };
  const steps = [{ ...question, output_variable: 'list' }];
  const { run_id } = await startMacro(client, { macro: { name: 'axe', steps } }, { task_queue });
  const session_id = await waitingConversation();
  const asked = { body: { name: 'Cleo' } };
  const link = (await stage.http.ask('POST', `/v1/operations/${waiting}/links`, asked)).body as {
    url: string;
  };
  const signed = await start('fake', { params: { group: 'all', mark: 'Signed' } });
  const answers = await otherAnswers();
  const at =
    (path: string): Visit =>
    (page) =>
      page.goto(new URL(path, stage.http.url).href);
  return {
    inbox: at('/'),
    'empty inbox': at('/?q=no+such+thing'),
    'interrupted session': at('/?session=axe-gone'),
    question: at(`/operations/${waiting}`),
    'question that is signed with a passkey': at(`/operations/${signed}`),
    passkeys: at('/passkeys'),
    'form of an edit': at(`/operations/${answers.edited}/edit`),
    ...Object.fromEntries(Object.entries(answers).map(([name, id]) => [name, at(`/operations/${id}`)])),
    'record with errors': at(`/operations/${failed}`),
    'items in doubt': at(`/operations/${doubtful}`),
    'all items of a plan': at(`/operations/${waiting}/groups`),
    'form in the place of what was sent back': at(`/start/fake/mark?revises=${answers.back}`),
    refusal: async (page) => {
      await page.goto(pageOf(waiting));
      // Submits at once, before a refresh corrects the field.
      await page.locator('form.decide').evaluate((form) => {
        form.querySelector('input[name=shown]')?.setAttribute('value', 'other');
        (form as unknown as { requestSubmit(): void }).requestSubmit();
      });
      await page.getByText('Nothing was run by your click').waitFor();
    },
    'signed link': at(link.url),
    'forged link': at('/gates/made.up'),
    'no such operation': at('/operations/none'),
    start: at('/start'),
    statistics: at('/stats?since=all'),
    form: at('/start/fake/mark'),
    preview: async (page) => {
      await page.goto(`${stage.http.url}/start/fake/mark`);
      await page.getByLabel('Group').fill('all');
      await page.getByRole('button', { name: 'Preview all emails' }).click();
      await page.getByText('Start exactly this').waitFor();
    },
    'task run': at(`/task-runs/${task_run_id}`),
    macro: at(`/macros/${run_id}`),
    conversation: at(`/sessions/${session_id}`),
    'new conversation': at('/sessions/axe-new'),
    'signed out': async (page) => {
      await page.goto(stage.http.url);
      await page.getByRole('button', { name: 'Sign out' }).click();
      await page.getByRole('heading', { name: 'You are signed out' }).waitFor();
    },
  };
}

/**
 * Finds what is too wide, covered or animated on a page, after unfolding all its parts; and each form that a browser could
 * send again as something new, or that decides by Enter in one of its fields.
 */
const FAULTS = `(() => {
  const forms = [...document.querySelectorAll('form[method=post]')];
  const once = ['decision_id', 'message_id', 'operation_id', 'turn', 'token'];
  const again = forms
    .filter((form) => !once.some((name) => form.elements[name]))
    .map((form) => new URL(form.action).pathname)
    .filter((path) => path !== '/sign-out')
    .map((path) => 'may be sent again: ' + path);
  const byEnter = forms
    .filter((form) => form.elements.decision_id)
    .filter((form) => [...form.elements].find(({ type }) => type === 'submit')?.formMethod !== 'dialog')
    .map((form) => 'decides by Enter: ' + form.action);
  for (const menu of document.querySelectorAll('details')) menu.open = true;
  const moving = document.getAnimations()
    .filter((one) => !one.effect.getKeyframes().every((frame) => 'pointerEvents' in frame))
    .map((one) => 'moves: ' + one.animationName);
  for (const one of document.getAnimations()) one.finish();
  const wide = document.documentElement.scrollWidth > innerWidth ? ['scrolls sideways'] : [];
  const covered = [...document.querySelectorAll('button, input, select, textarea, a.row')].filter((one) => {
    if (!one.checkVisibility() || one.type === 'hidden') return false;
    one.scrollIntoView({ block: 'center' });
    const { left, top, width, height } = one.getBoundingClientRect();
    const [x, y] = [left + width / 2, top + height / 2];
    const hit = document.elementFromPoint(x, y);
    return !hit || !(one.contains(hit) || one.closest('label')?.contains(hit));
  });
  const passes = [...document.querySelectorAll('*')]
    .filter((one) => matchMedia('(prefers-reduced-motion: reduce)').matches &&
      getComputedStyle(one).transitionDuration.split(',').some((time) => parseFloat(time) > 0))
    .map((one) => 'fades: ' + one.tagName);
  scrollTo(0, 0);
  return [...again, ...byEnter, ...wide, ...moving, ...passes, ...covered.map((one) => 'covered: ' + one.outerHTML.slice(0, 150))];
})()`;

/** The names that a screen reader announces for buttons and checkboxes. */
async function namesOf(page: Page): Promise<string[]> {
  const session = await page.context().newCDPSession(page);
  const { nodes } = await session.send('Accessibility.getFullAXTree');
  await session.detach();
  return nodes
    .filter(({ role, ignored }) => !ignored && ['button', 'checkbox'].includes(String(role?.value)))
    .map(({ name }) => String(name?.value ?? ''));
}

/** The rules of axe that look at colours. */
const COLOUR = ['color-contrast', 'link-in-text-block'];

/** What can differ on a page that is there: light on a phone, and dark on a screen of 1280 by 800 pixels at 200% zoom. */
const WINDOWS = [
  { colorScheme: 'light', viewport: { width: 320, height: 640 } },
  { colorScheme: 'dark', viewport: { width: 640, height: 400 }, rules: COLOUR },
] as const;

export function accessTests(): void {
  describe('every page', () => {
    it('has no axe violation, fits, and names its buttons, at 320 px in light and at 200% zoom in dark', async () => {
      const visits = await everyPage();
      const page = await signedIn('Ada', { deviceScaleFactor: 2, reducedMotion: 'reduce', bypassCSP: true });
      for (const [name, visit] of Object.entries(visits)) {
        await page.setViewportSize(WINDOWS[0].viewport);
        await visit(page);
        for (const { colorScheme, viewport, ...more } of WINDOWS) {
          await page.setViewportSize(viewport);
          await page.emulateMedia({ colorScheme });
          const faults = await page.evaluate<string[]>(FAULTS);
          const axe = await violations(page, 'rules' in more ? more.rules : undefined);
          expect({ name, colorScheme, faults, axe }).toEqual({ name, colorScheme, faults: [], axe: [] });
        }
        expect((await namesOf(page)).filter((one) => !/^[A-Z]\S* \S/.test(one))).toEqual([]);
      }
    });
  });
}
