import { readFile } from 'node:fs/promises';
import type { Page } from 'playwright-core';
import { newContext } from '../helpers/browser';
import { lookAgain } from '../helpers/look-again';
import { acceptedOf, lookUntil, pageOf, signedIn, stage, start } from '../helpers/page-stage';

const PHONE = { viewport: { width: 390, height: 844 }, deviceScaleFactor: 2, isMobile: true, hasTouch: true };

export function storyTests(): void {
  describe('a signed link', () => {
    const linkTo = async (id: string, body: object = {}) => {
      const asked = { body: { name: 'Cleo', ...body } };
      return (await stage.http.ask('POST', `/v1/operations/${id}/links`, asked)).body as { url: string };
    };

    it('opens one question without a sign-in, still needs the click, and opens no other', async () => {
      const id = await start('harmless', { params: { group: 'link' } });
      const { url } = await linkTo(id);
      const context = await newContext(stage.browser, { javaScriptEnabled: false });
      const page = await context.newPage();
      await page.goto(url);
      await page.goto(url);
      expect(await acceptedOf(id)).toEqual([]);
      await page.getByRole('checkbox').first().uncheck();
      await page.getByRole('button', { name: 'Show the question without them' }).click();
      await page.getByRole('button', { name: 'Continue with 9 items' }).click();
      await lookUntil(page, 'Cleo confirmed batch 1');
      expect(await page.getByRole('button').count()).toBe(0);
      const [decided] = await acceptedOf(id);
      expect(decided).toMatchObject({ by: 'Cleo', assurance: 'asserted' });
      // The link gives its holder no access to the next question, nor to anything else.
      const sent = (path: string) =>
        fetch(`${url}${path}`, {
          method: 'POST',
          redirect: 'manual',
          body: new URLSearchParams({ decision_id: 'again' }),
        });
      expect((await sent('/continue')).status).toBe(409);
      expect((await sent('/cancel')).status).toBe(409);
      expect((await fetch(pageOf(id))).status).toBe(401);
      expect((await acceptedOf(id)).length).toBe(1);
      // Of what follows, it shows nothing.
      const text = await (await fetch(url)).text();
      expect(text).toContain('The question of this link is answered');
      for (const number of [11, 12, 20]) expect(text).not.toContain(`Item ${number}`);
      expect(text).not.toContain('Processed');
    });

    it('ends with the key that made it', async () => {
      const id = await start('harmless', { params: { group: 'link' } });
      const key = await stage.http.key('approver');
      const asked = { body: { name: 'Cleo' }, key };
      const { url } = (await stage.http.ask('POST', `/v1/operations/${id}/links`, asked)).body as {
        url: string;
      };
      expect((await fetch(url)).status).toBe(200);
      const { access } = stage.harness.store;
      await access.revokeKey((await access.listKeys()).at(-1)?.key_id ?? '');
      const body = new URLSearchParams({ decision_id: 'late' });
      for (const answer of [
        await fetch(url),
        await fetch(`${url}/continue`, { method: 'POST', body }),
        await fetch(`${url}/cancel`, { method: 'POST', body }),
      ])
        expect(answer.status).toBe(403);
      expect(await acceptedOf(id)).toEqual([]);
    });

    it('expires, and cannot be altered', async () => {
      const id = await start('harmless', { params: { group: 'link' } });
      const { url } = await linkTo(id);
      const other = await linkTo(await start('harmless', { params: { group: 'link' } }));
      const [body] = url.split('.').slice(-2, -1);
      const forged = url.replace(body ?? '', other.url.split('.').slice(-2, -1)[0] ?? '');
      expect((await fetch(forged)).status).toBe(403);
      const brief = await linkTo(id, { expires_in_seconds: 1 });
      while ((await fetch(brief.url)).status === 200) await lookAgain();
      const answer = await fetch(brief.url);
      expect([answer.status, ((await answer.json()) as { message: string }).message]).toEqual([
        403,
        'This link has expired.',
      ]);
    });
  });

  describe('a manager on a phone', () => {
    it('starts an operation, excludes two items, confirms, reads an error, retries it, and downloads the report', async () => {
      const page = await signedIn('Mina', PHONE);
      await page.goto(stage.http.url);
      await page.getByRole('link', { name: 'Start', exact: true }).tap();
      await page.locator('a[href="/start/shaky/mark"]').tap();
      await page.getByLabel('Group').fill('newsletters');
      await page.getByRole('button', { name: 'Start with the first question' }).tap();
      await page.getByRole('heading', { name: 'Mark each item of the group “newsletters”.' }).waitFor();
      await page.getByRole('checkbox', { name: 'Run item 4: Item 4' }).uncheck();
      await page.getByRole('button', { name: 'Continue with 9 items' }).waitFor();
      await page.getByRole('checkbox', { name: 'Run item 7: Item 7' }).uncheck();
      await page.getByText('2 items are left out, so Continue runs 8 items.').waitFor();
      await page.getByRole('button', { name: 'Continue with 8 items' }).tap();
      await page.getByText('Batch 2 of 2').waitFor();
      await page.getByText('The mailbox is full It may be tried again.').waitFor();
      await page.getByRole('button', { name: 'Continue with 2 items' }).tap();
      await page.getByText('✅ Completed! Processed 10/12 items.').waitFor();
      stage.mend();
      await page.getByRole('button', { name: 'Retry 1 failed item' }).tap();
      await page.getByRole('button', { name: 'Continue with 1 item' }).tap();
      await page.getByText('✅ Completed! Processed 1/1 items.').waitFor();
      expect(await reportOf(page)).toMatch(
        /^id,display_name,batch,outcome,.*\nitem-002,Item 2,1,succeeded,,Mina,/,
      );
    });
  });
}

async function reportOf(page: Page): Promise<string> {
  const [download] = await Promise.all([
    page.waitForEvent('download'),
    page.getByRole('link', { name: 'Download the report (CSV)' }).tap(),
  ]);
  return readFile(await download.path(), 'utf8');
}
