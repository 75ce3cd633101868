import { recordTaskRun, startMacro, startTaskRun } from '../../src/client';
import { acceptedOf, confirmAll, pageOf, signedIn, stage, start, TEMPORAL_UI } from '../helpers/page-stage';
import { visitorOf } from '../helpers/sign-in';

export function outcomeTests(): void {
  describe('the page after a batch', () => {
    it('records the outcomes of items in doubt, each with its reason', async () => {
      const id = await start('doubtful');
      await confirmAll(id);
      const page = await signedIn('Ada');
      await page.goto(pageOf(id));
      for (const [name, outcome] of [
        ['Item 2', 'It was done'],
        ['Item 4', 'It was not done'],
      ] as const) {
        const form = page.locator('form.card').filter({ hasText: name });
        await form.getByLabel(outcome, { exact: true }).check();
        await form.getByLabel('How do you know?').fill(`seen ${name}`);
        await form.getByRole('button', { name: `Record this for ${name}` }).click();
        await form.waitFor({ state: 'detached' });
      }
      await page.getByText('✅ Completed!').first().waitFor();
      const status = await stage.harness.status(id);
      expect([status.succeeded, status.failed, status.in_doubt]).toEqual([4, 1, 0]);
      const resolved = status.confirmations.filter(({ decision }) => decision === 'resolve');
      expect(resolved).toMatchObject([
        { by: 'Ada', assurance: 'session', outcome: 'accepted' },
        { by: 'Ada', assurance: 'session', outcome: 'accepted' },
      ]);
    });

    it.each(['cancelled', 'terminated'])(
      'records the outcomes of items in doubt of an operation that was %s',
      async (how) => {
        const id = await start('doubtful');
        await confirmAll(id);
        if (how === 'cancelled') await stage.http.ask('POST', `/v1/operations/${id}/cancel`);
        else await stage.harness.client.workflow.getHandle(id).terminate();
        const page = await signedIn('Ada');
        await page.goto(pageOf(id));
        const form = page.locator('form.card').filter({ hasText: 'Item 4' });
        await form.getByLabel('It was done', { exact: true }).check();
        await form.getByLabel('How do you know?').fill('seen');
        await form.getByRole('button', { name: 'Record this for Item 4' }).click();
        await form.waitFor({ state: 'detached' });
        expect(await page.locator('form.card').filter({ hasText: 'Item 2' }).count()).toBe(1);
        expect(await stage.harness.status(id)).toMatchObject({
          ...{ state: 'cancelled', succeeded: 4, in_doubt: 1 },
        });
        const viewer = await signedIn('Bob', { role: 'viewer' });
        await viewer.goto(pageOf(id));
        expect(await viewer.getByText('How do you know?').count()).toBe(0);
      },
    );

    it('asks for every item in doubt, and counts only whole batches, if it does not list all items', async () => {
      const items = Array.from({ length: 205 }, (_, at) => ({
        id: at === 202 ? 'item-002' : at === 203 ? 'item-004' : `other-${at}`,
        display_name: `Mail ${at + 1}`,
      }));
      const id = await start('doubtful', { params: {}, items, batch_size: 60 });
      await confirmAll(id);
      const page = await signedIn('Ada');
      await page.goto(pageOf(id));
      await page.getByText('The first 3 of 4 batches').waitFor();
      for (const name of ['Mail 203', 'Mail 204']) {
        const form = page.locator('form.card').filter({ hasText: name });
        await form.getByText('No answer came').waitFor();
        await form.getByLabel('It was done', { exact: true }).check();
        await form.getByLabel('How do you know?').fill('looked');
        await form.getByRole('button', { name: `Record this for ${name}` }).click();
        await form.waitFor({ state: 'detached' });
      }
      await page.getByText('✅ Completed!').first().waitFor();
      expect(await stage.harness.status(id)).toMatchObject({ succeeded: 205, in_doubt: 0 });
    });

    it('undoes what was done, after another question', async () => {
      const items = [{ id: 'item-020' }, { id: 'item-021' }];
      const id = await start('fake', { params: { mark: 'Twice' }, items });
      await confirmAll(id);
      const page = await signedIn('Ada');
      await page.goto(pageOf(id));
      await page.getByRole('button', { name: 'Undo what was done' }).click();
      await page.getByText('mark “Twice” → none').first().waitFor();
      await page.getByRole('button', { name: 'Continue with 2 items' }).click();
      await page.getByText('✅ Completed!').first().waitFor();
      expect(
        await stage.harness.status(decodeURIComponent(page.url().split('/').at(-1) ?? '')),
      ).toMatchObject({
        undoes: id,
        succeeded: 2,
      });
    });

    it('prints the record with every item and without controls', async () => {
      const id = await start('shaky', { batch_size: 20 });
      await confirmAll(id);
      const page = await signedIn('Ada', { colorScheme: 'dark' });
      await page.goto(pageOf(id));
      expect(await page.getByRole('cell', { name: /Item 12/ }).isVisible()).toBe(false);
      await page.emulateMedia({ media: 'print' });
      await page.getByRole('cell', { name: /Item 12/ }).waitFor();
      const shown = await page.evaluate<object>(`({
        controls: [...document.querySelectorAll('button, input, select, summary::marker, nav')]
          .filter((one) => one.checkVisibility()).length,
        paper: getComputedStyle(document.documentElement).backgroundColor,
        ink: getComputedStyle(document.documentElement).color,
      })`);
      expect(shown).toEqual({ controls: 0, paper: 'rgb(255, 255, 255)', ink: 'rgb(0, 0, 0)' });
    });

    it('shows operators, and only them, the link to Temporal', async () => {
      const id = await start('fake');
      for (const [role, links] of [
        ['operator', 1],
        ['admin', 1],
        ['approver', 0],
        ['viewer', 0],
      ] as const) {
        const { page } = await (await visitorOf(stage.http, role)).visit(`/operations/${id}`);
        expect([role, page.split('Open in the Temporal UI').length - 1]).toEqual([role, links]);
        const href = `href="${TEMPORAL_UI}/workflows/${encodeURIComponent(id)}"`;
        expect([role, page.split(href).length - 1]).toEqual([role, links]);
      }
    });
  });

  describe('pages of other jobs', () => {
    it('show what happens without a reload, and keep what a person is typing', async () => {
      const { client, taskQueue: task_queue } = stage.harness;
      const { task_run_id } = await startTaskRun(client, { goal: 'Read the reports' }, { task_queue });
      const page = await signedIn();
      await page.goto(`${stage.http.url}/task-runs/${task_run_id}`);
      await page.getByText('0 done').waitFor();
      await page.getByText('Complete…').click();
      await page.getByLabel('Why is it complete?').fill('half a sen');
      await page.evaluate(`window.isTheSamePage = true`);
      await recordTaskRun(client, task_run_id, { completed: ['a', 'b'] });
      await page.getByText('2 done').waitFor();
      expect(await page.getByLabel('Why is it complete?').inputValue()).toBe('half a sen');
      expect(await page.evaluate(`window.isTheSamePage`)).toBe(true);

      const ask = (prompt: string) => ({
        ...{ type: 'ask' as const, of: 'person' as const, prompt, output_variable: 'said' },
      });
      const macro = { name: 'two_questions', steps: [ask('The first?'), ask('The second?')] };
      const { run_id } = await startMacro(client, { macro }, { task_queue });
      const other = await signedIn('Bob');
      for (const window of [page, other]) await window.goto(`${stage.http.url}/macros/${run_id}`);
      await other.getByRole('heading', { name: 'The first?' }).waitFor();
      await page.getByLabel('Your answer').fill('one');
      await page.getByRole('button', { name: 'Send the answer' }).click();
      await other.getByRole('heading', { name: 'The second?' }).waitFor();
    });
  });

  describe('a preview', () => {
    it('shows each item before and after, and starts exactly that', async () => {
      stage.mails.marks.clear();
      const page = await signedIn('Ada', { javaScriptEnabled: false });
      await page.goto(`${stage.http.url}/start/fake/mark`);
      await page.getByLabel('Group').fill('previewed');
      await page.getByLabel('Mark').fill('Seen');
      await page.getByRole('button', { name: 'Preview all emails' }).click();
      await page
        .getByRole('heading', { name: 'Mark each item of the group “previewed” with “Seen”.' })
        .waitFor();
      await page.getByText('24 items mark none → “Seen”').waitFor();
      // The list of more than 20 items opens without a script.
      await page.getByText('24 items').last().click();
      expect(await page.getByText('Item 24').isVisible()).toBe(true);
      const digest = await page.locator('input[name=expect_digest]').inputValue();
      // The item changes between the preview and the start.
      stage.mails.marks.set('item-011', 'by somebody else');
      await page.getByRole('button', { name: 'Start exactly this' }).click();
      await page.getByText('Nothing was started').waitFor();
      await page.getByText('Details').click();
      await page.getByText('CHANGED_SINCE_PREVIEW').waitFor();
      expect(await page.getByLabel('Group').inputValue()).toBe('previewed');
      stage.mails.marks.delete('item-011');
      await page.getByRole('button', { name: 'Preview all emails' }).click();
      expect(await page.locator('input[name=expect_digest]').inputValue()).toBe(digest);
      await page.getByRole('button', { name: 'Start exactly this' }).click();
      await page.getByRole('button', { name: 'Continue with 10 items' }).waitFor();
      const id = decodeURIComponent(page.url().split('/').at(-1) ?? '');
      expect(await stage.harness.status(id)).toMatchObject({ requested_by: 'Ada', total: 24, processed: 0 });
      expect(await acceptedOf(id)).toEqual([]);
    });
  });
}
