import { gzipSync } from 'node:zlib';
import { getMacroTurn, recordTaskRun, startMacro, startTaskRun } from '../../src/client';
import { caughtUp, lookAgain } from '../helpers/look-again';
import { pageOf, settled, signedIn, stage, start } from '../helpers/page-stage';
import { visitorOf } from '../helpers/sign-in';

export function visitTests(): void {
  describe('starting', () => {
    it('goes from a form to the question without JavaScript, and explains what is missing', async () => {
      const page = await signedIn('Ada', { javaScriptEnabled: false });
      await page.goto(stage.http.url);
      await page.getByRole('link', { name: 'Start', exact: true }).click();
      await page.locator('a[href="/start/shaky/mark"]').click();
      await page.getByText('More settings').click();
      await page.getByLabel('Group').fill('all');
      await page.getByLabel(/Items per batch/).fill('99999');
      await page.getByRole('button', { name: 'Start with the first question' }).click();
      await page.getByText('Nothing was started').waitFor();
      expect(await page.getByLabel('Group').inputValue()).toBe('all');
      await page.getByLabel(/Items per batch/).fill('6');
      await page.getByRole('button', { name: 'Start with the first question' }).click();
      await page.getByText('Batch 1 of 2').waitFor();
      const id = decodeURIComponent(page.url().split('/').at(-1) ?? '');
      expect(await stage.harness.status(id)).toMatchObject({ requested_by: 'Ada', total: 12, processed: 0 });
    });

    it('takes items by hand', async () => {
      const page = await signedIn();
      await page.goto(`${stage.http.url}/start/fake/mark`);
      await page.getByText('Name the emails yourself').click();
      await page.getByLabel(/One item per line/).fill('item-001, First\nitem-002');
      // The search field is required only without items.
      await page.getByLabel('Group').evaluate((field) => field.removeAttribute('required'));
      await page.getByRole('button', { name: 'Start with the first question' }).click();
      await page.getByRole('checkbox', { name: 'Run item 1: First' }).waitFor();
      expect(await page.getByRole('checkbox').count()).toBe(2);
    });
  });

  describe('other jobs', () => {
    it('answers a macro, completes a task run, and continues an interrupted session', async () => {
      const { client, taskQueue: task_queue } = stage.harness;
      const page = await signedIn();
      const steps = [
        { type: 'ask' as const, prompt: 'Which list?', of: 'person' as const, output_variable: 'list' },
      ];
      const { run_id } = await startMacro(
        client,
        { macro: { name: 'sorting', steps }, session_id: 'm' },
        { task_queue },
      );
      const { task_run_id } = await startTaskRun(
        client,
        { goal: 'Read the reports', contract: { expected_total: 3 } },
        { task_queue },
      );
      await recordTaskRun(client, task_run_id, { completed: ['a'], failed: [{ item: 'b', reason: 'torn' }] });
      await page.goto(`${stage.http.url}/macros/${run_id}`);
      await page.getByRole('heading', { name: 'Which list?' }).waitFor();
      await page.getByLabel('Your answer').fill('Later');
      await page.getByRole('button', { name: 'Send the answer' }).click();
      await page.getByText('Completed, 1 step begun.').waitFor();
      expect((await getMacroTurn(client, run_id)).state).toBe('completed');
      await page.goto(`${stage.http.url}/task-runs/${task_run_id}`);
      await page.getByText('1 of 3 done, 1 failed').waitFor();
      await page.getByText('Complete…').click();
      await page.getByLabel('Why is it complete?').fill('the rest is gone');
      await page.getByRole('button', { name: 'Complete the task run' }).click();
      await page.getByText('Completed by Ada: the rest is gone').waitFor();
      const short = { params: { group: 'all' }, idle_timeout_seconds: 1, session_id: 'gone' };
      // The server finds no id with a backslash; it must not make the list fail.
      for (const id of ["it's gone", "odd\\'id"]) {
        await stage.harness.start({ ...short, session_id: id.slice(-4) }, id);
        await stage.harness.client.workflow.getHandle(id).result();
      }
      const expired = "it's gone";
      await page.goto(`${stage.http.url}/?session=gone`);
      await page.getByRole('button', { name: 'Run the 24 items left' }).click();
      const rest = `${expired}.rest`;
      await page.waitForURL(`**/operations/${encodeURIComponent(rest)}`);
      expect(await stage.harness.status(rest)).toMatchObject({ total: 24, session_id: 'gone' });
      // It is offered once. The list lags, and the rest, whose questions wait as briefly, may be offered in its turn.
      const linkTo = (id: string) => page.locator(`li a[href="/operations/${encodeURIComponent(id)}"]`);
      const offer = page.locator('li.interrupted').filter({ has: linkTo(expired) });
      await page.goto(`${stage.http.url}/?session=gone`);
      while ((await offer.count()) > 0) {
        await lookAgain();
        await page.reload();
      }
      expect(await linkTo(rest).count()).toBeGreaterThan(0);
    });
  });

  describe('the inbox', () => {
    it('finds operations by session, requester and item name', async () => {
      const mine = await start('shaky', { session_id: 'mine', requested_by: 'Zoe' });
      const ada = await visitorOf(stage.http);
      const links = async (query: string) =>
        [...(await ada.visit(`/?${query}`)).page.matchAll(/<a class="row" href="([^"]*)"/g)].map(
          ([, to]) => to,
        );
      await caughtUp(async () => expect(await links('session=mine')).toEqual([`/operations/${mine}`]));
      expect(await links('q=zoe')).toEqual([`/operations/${mine}`]);
      expect(await links('q=Item+12&session=mine')).toEqual([`/operations/${mine}`]);
      expect(await links('q=no+such+thing')).toEqual([]);
      expect(await links('domain=slow&state=awaiting_confirmation')).toEqual([]);
      expect(await ada.visit('/?q=a%00b')).toMatchObject({
        status: 400,
        page: expect.stringContaining('The field q holds a NUL character.'),
      });
    });
  });

  describe('every page', () => {
    it('is used by keyboard alone, with visible focus, at 320 px', async () => {
      const id = await start('fake');
      const page = await signedIn('Ada', { viewport: { width: 320, height: 640 } });
      await page.goto(pageOf(id));
      const focus = () =>
        page.evaluate<{ name?: string; outline: string }>(`(() => {
        const at = document.activeElement;
        const { outlineStyle, outlineWidth } = getComputedStyle(at);
        return { name: at.getAttribute('aria-label') ?? at.textContent.trim(), outline: outlineStyle + ' ' + outlineWidth };
      })()`);
      const tabTo = async (name: string) => {
        for (let step = 0; step < 60; step++) {
          await page.keyboard.press('Tab');
          const at = await focus();
          expect(at.outline).toBe('solid 3px');
          if (at.name === name) return;
        }
        throw new Error(`no Tab reaches ${name}`);
      };
      await tabTo('Run item 2: Item 2');
      await page.keyboard.press('Space');
      await page.getByText('The question changed.').waitFor();
      await settled(page);
      await tabTo('Continue with 9 items of batch 1');
      await page.keyboard.press('Enter');
      await page.getByText('Batch 2 of 3').waitFor();
      expect((await stage.harness.status(id)).processed).toBe(9);
    });

    it('loads nothing from other sites, runs no inline code, and sends at most 30 KB of JavaScript', async () => {
      const page = await signedIn();
      const scripts: Promise<number>[] = [];
      const hosts = new Set<string>();
      page.on('response', (response) => {
        hosts.add(new URL(response.url()).origin);
        if (response.request().resourceType() === 'script')
          scripts.push(response.body().then((body) => gzipSync(body).length));
      });
      const answer = await page.goto(`${stage.http.url}/`);
      await page.waitForLoadState('load');
      const sizes = await Promise.all(scripts);
      expect(sizes.length).toBe(1);
      expect(sizes.reduce((sum, size) => sum + size, 0)).toBeLessThan(30_000);
      expect([...hosts]).toEqual([stage.http.url]);
      const headers = answer?.headers() ?? {};
      expect(headers['content-security-policy']).toMatch(
        /^default-src 'none'; script-src 'self'; style-src 'self';/,
      );
      expect(headers['content-security-policy']).not.toContain('unsafe');
      expect([headers['cache-control'], headers['referrer-policy']]).toEqual(['no-store', 'same-origin']);
    });

    it('sends one touch for many clicks and keys', async () => {
      const page = await signedIn();
      const touches: string[] = [];
      page.on('request', (request) => request.url().endsWith('/v1/touch') && touches.push(request.method()));
      await page.goto(`${stage.http.url}/`);
      const answered = page.waitForResponse((response) => response.url().endsWith('/v1/touch'));
      for (let press = 0; press < 5; press++) await page.keyboard.press('Tab');
      await page.mouse.click(5, 300);
      expect((await answered).status()).toBe(200);
      expect(touches).toEqual(['POST']);
    });
  });
}
