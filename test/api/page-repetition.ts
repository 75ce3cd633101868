import type { Page } from 'playwright-core';
import { hashOf } from '../../src/api/principal';
import { startMacro, startTaskRun } from '../../src/client';
import { confirmOpen } from '../helpers/confirm';
import { hurriedly } from '../helpers/hurry';
import {
  acceptedOf,
  confirmAll,
  expectReloadSendsNothing,
  pageOf,
  settled,
  signedIn,
  stage,
  start,
} from '../helpers/page-stage';

/** A form that a browser sends twice. */
export function repetitionTests(): void {
  describe('a reload of the page that says what came of a form', () => {
    it('sends nothing, without JavaScript', async () => {
      const page = await signedIn('Ada', { javaScriptEnabled: false });
      for (const [said, press] of Object.entries(await pagesThatAnswer())) {
        await press(page);
        await expectReloadSendsNothing(page, said);
      }
    });
  });

  describe('the same form, sent again', () => {
    it('gets the first outcome, and decides nothing more', async () => {
      const [id, other] = [await start('fake'), await start('fake')];
      const page = await signedIn('Ada');
      await page.goto(pageOf(id));
      const before = Date.parse((await stage.harness.status(id)).expires_at ?? '');
      expect(await sendTwice(page, 'extend', { seconds: '28800' })).toEqual([303, 303]);
      const after = Date.parse((await stage.harness.status(id)).expires_at ?? '');
      expect(after - before).toBe(28_800_000);
      expect(await sendTwice(page, 'cancel', { reason: 'no' }, { reason: 'really not' })).toEqual([303, 303]);
      expect((await acceptedOf(id)).map(({ decision }) => decision)).toEqual(['extend', 'cancel']);
      await page.goto(pageOf(other));
      expect(await sendTwice(page, 'complete', { reason: 'seen' }, { reason: 'seen twice' })).toEqual([
        303, 303,
      ]);
      expect(await stage.harness.status(other)).toMatchObject({ forced: { reason: 'seen' } });
      const doubted = await start('doubtful');
      await confirmAll(doubted);
      await page.goto(pageOf(doubted));
      const said = { outcome: 'succeeded', reason: 'seen' };
      expect(await sendTwice(page, 'resolve', said, { ...said, outcome: 'failed' })).toEqual([303, 303]);
      expect(await stage.harness.status(doubted)).toMatchObject({ in_doubt: 1, failed: 0 });
    });

    it('sends back, takes back and delegates once', async () => {
      const [back, later, shared] = [
        await start('fake'),
        await start('fake'),
        await start('fake', { requested_by: 'Two' }),
      ];
      const page = await signedIn('Ada');
      await page.goto(pageOf(back));
      await settled(page);
      expect(await sendTwice(page, 'revise', { note: 'Archive' }, { note: 'Delete' })).toEqual([303, 303]);
      expect(await stage.harness.status(back)).toMatchObject({ sent_back: { note: 'Archive' } });
      const not_before = new Date(Date.now() + 3_600_000).toISOString();
      await confirmOpen(stage.harness.client, later, { not_before });
      await page.goto(pageOf(later));
      expect(await sendTwice(page, 'withdraw', {})).toEqual([303, 303]);
      expect(await stage.harness.status(later)).toMatchObject({ next_batch: { attempt: 2 } });
      await page.goto(pageOf(shared));
      const cleo = { to: 'Cleo', seconds: '86400' };
      expect(await sendTwice(page, 'delegate', cleo, { ...cleo, to: 'Dan' })).toEqual([303, 303]);
      expect((await acceptedOf(shared)).map(({ decision }) => decision)).toEqual(['delegate']);
    });

    it('follows up once', async () => {
      const failed = await start('shaky', { batch_size: 20 });
      const changed = await start('fake');
      for (const id of [failed, changed]) await confirmAll(id);
      const page = await signedIn('Ada');
      for (const [id, verb] of [
        [failed, 'retry-failed'],
        [changed, 'undo'],
      ] as const) {
        await page.goto(pageOf(id));
        await page.locator(`form[action$="/${verb}"]`).waitFor();
        const [first, again] = await answersTwice(page, verb, {});
        expect([first?.status, again?.status]).toEqual([303, 303]);
        expect(again?.headers.get('location')).toBe(first?.headers.get('location'));
      }
      stage.mails.marks.clear();
    });

    it('invites once', async () => {
      const page = await signedIn('Ada');
      await page.goto(`${stage.http.url}/passkeys`);
      const [first, again] = await answersTwice(page, 'invitations', { name: 'Ben' }, { name: 'Cleo' });
      expect([first?.status, again?.status]).toEqual([303, 303]);
      const made = first?.headers.get('location') ?? '';
      expect(again?.headers.get('location')).toBe(made);
      const tab = await page.context().newPage();
      await tab.goto(`${stage.http.url}${made}`);
      await tab.getByRole('heading', { name: 'Invitation for Ben' }).waitFor();
      const link = await tab.locator('code').innerText();
      const invitation = new URL(link).searchParams.get('invitation') ?? '';
      const { passkeys } = stage.harness.store.access;
      expect(await passkeys.takeInvitation(hashOf(invitation))).toMatchObject({ name: 'Ben' });
      // What was used up is not made anew.
      expect(await sendTwice(page, 'invitations', { name: 'Ben' })).toEqual([303, 303]);
      await tab.reload();
      await tab.getByRole('heading', { name: 'Invite somebody' }).waitFor();
      expect(await tab.getByText('Invitation for').count()).toBe(0);
    });

    it('answers a question of a macro once', async () => {
      const { client, taskQueue: task_queue } = stage.harness;
      const ask = (prompt: string) => ({
        ...{ type: 'ask' as const, of: 'person' as const, prompt, output_variable: 'said' },
      });
      const macro = { name: 'asked_twice', steps: [ask('The first?'), ask('The second?')] };
      const { run_id } = await startMacro(client, { macro }, { task_queue });
      const page = await signedIn('Ada');
      await page.goto(`${stage.http.url}/macros/${run_id}`);
      await page.getByRole('heading', { name: 'The first?' }).waitFor();
      expect(await sendTwice(page, 'answer', { answer: 'one' })).toEqual([303, 303]);
      await page.getByRole('heading', { name: 'The second?' }).waitFor();
    });
  });
}

/** The pages that say something of a form, by what each says: how to get there without scripts. */
async function pagesThatAnswer(): Promise<Record<string, (page: Page) => Promise<unknown>>> {
  const { client, taskQueue: task_queue } = stage.harness;
  const id = await start('fake', { params: { group: 'all', mark: 'Later' } });
  const asked = { body: { name: 'Cleo' } };
  const { task_run_id } = await startTaskRun(client, { goal: 'Read' }, { task_queue });
  const ask = {
    ...{ type: 'ask' as const, of: 'person' as const, prompt: 'How many?', output_variable: 'x' },
    output_schema: { type: 'integer' },
  };
  const { run_id } = await startMacro(client, { macro: { name: 'asks', steps: [ask] } }, { task_queue });
  const at =
    (path: string, press: string, fill: Record<string, string> = {}) =>
    async (page: Page) => {
      await page.goto(new URL(path, stage.http.url).href);
      await page.evaluate(`for (const one of document.querySelectorAll('details')) one.open = true`);
      for (const [label, value] of Object.entries(fill)) await page.getByLabel(label).fill(value);
      await page.getByRole('button', { name: press }).click();
    };
  const form = '/start/fake/mark';
  return {
    'You pressed before the question': async (page) => {
      await hurriedly(async () => {
        const hurried = await start('fake', { params: { group: 'all', mark: 'Later' } });
        const { body } = await stage.http.done('POST', `/v1/operations/${hurried}/links`, asked);
        await page.goto(String(body.url));
        const since = parseInt(await page.locator('form.decide [name=shown_at]').inputValue());
        await page.evaluate(`document.querySelector('button.go').click()`);
        await page
          .getByText(/You pressed before the question|confirmed batch 1/)
          .first()
          .waitFor();
        return { took: Date.now() - since, answer: undefined };
      });
    },
    'Nothing was changed': at(`/operations/${id}/edit`, 'Ask for this instead'),
    'Nothing changed': at(`/task-runs/${task_run_id}`, 'Complete the task run', {
      'Why is it complete?': ' ',
    }),
    'Nothing was answered': at(`/macros/${run_id}`, 'Send the answer'),
    'Your message was not taken': at('/sessions/reloaded', 'Send', { Message: ' ' }),
    'Nothing was started': at(form, 'Start with the first question'),
    'Start exactly this': at(form, 'Preview all emails', { Group: 'all', Mark: 'Seen' }),
    'The list has no items': at(form, 'Check the list', { 'One item per line': 'id' }),
    'Invitation for Dan': at('/passkeys', 'Make a link', { 'Their name': 'Dan' }),
    'You are signed out': at('/', 'Sign out'),
  };
}

/** Sends the page's form for this decision, and sends it again. Returns the statuses of the answers. */
const sendTwice = async (...sent: Parameters<typeof answersTwice>): Promise<number[]> =>
  (await answersTwice(...sent)).map(({ status }) => status);

async function answersTwice(
  page: Page,
  verb: string,
  values: Record<string, string>,
  again = values,
): Promise<Response[]> {
  const [action, entries] = await page.evaluate<[string, [string, string][]]>(
    `((form) => [form.action, [...new FormData(form)]])(document.querySelector('form[action$="/${verb}"]'))`,
  );
  const [cookie] = await page.context().cookies();
  const answers: Response[] = [];
  for (const given of [values, again]) {
    const answer = await fetch(action, {
      method: 'POST',
      redirect: 'manual',
      headers: { cookie: `${cookie?.name}=${cookie?.value}`, origin: stage.http.url },
      body: new URLSearchParams({ ...Object.fromEntries(entries), ...given }),
    });
    answers.push(answer);
  }
  return answers;
}
