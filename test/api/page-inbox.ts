import type { Page } from 'playwright-core';
import { newContext } from '../helpers/browser';
import { signedIn, stage, start } from '../helpers/page-stage';

/** As many questions as an operator may have after a weekend. */
const MANY = 62;
/** For the HTML, the scripts and the style of the inbox with so many, as they travel. Bytes. */
const MAX_WEIGHT = 60_000;
/** For those of 200 questions, unpacked. Bytes. */
const MAX_UNPACKED_OF_200 = 200_000;

export function inboxViewTests(): void {
  describe('the inbox of somebody who is asked a lot', () => {
    const inboxOf = async (who: string, page: Page) => page.goto(`${stage.http.url}/?q=${who}`);

    it('groups questions by action, and says what is urgent and what cannot be undone', async () => {
      const asked = { requested_by: 'Tessa' };
      for (let at = 0; at < 3; at++) await start('fake', asked);
      await start('fake', { ...asked, idle_timeout_seconds: 600 });
      await start('harmless', asked);
      const page = await signedIn('Ada');
      await inboxOf('Tessa', page);
      const waiting = page.getByRole('region', { name: 'Waiting' });
      await waiting.getByRole('heading', { name: 'Mark on fake 4' }).waitFor();
      await waiting.locator('a.row').nth(4).waitFor();
      expect(await waiting.locator('a.row').count()).toBe(5);
      expect(await waiting.getByText('Waits for you').count()).toBe(0);
      expect(await waiting.getByText('cannot be undone').count()).toBe(1);
      expect(await waiting.locator('.soon').allInnerTexts()).toEqual([
        expect.stringMatching(/^\d+ (min|s)$/),
      ]);
      // The most urgent of its group is the first, without a script too.
      expect(await waiting.locator('details .row').first().locator('.when').innerText()).toMatch(/^\d min$/);
      await page.getByText('The next deadline is in').waitFor();
      const said = () => page.locator('#said').innerText();
      expect(await said()).toMatch(
        /^5 questions wait for an answer\..* 5 of \d+ jobs that are open, ended today,/,
      );
      await inboxOf('nobody', page);
      expect(await said()).toMatch(/^Nothing matches this filter\. .* have nobody in the id, the action,/);
    });

    it('folds its filters on a phone, and only there', async () => {
      const page = await signedIn('Ada', { viewport: { width: 390, height: 844 } });
      await page.goto(stage.http.url);
      const tool = page.getByLabel('Tool');
      expect(await tool.isVisible()).toBe(false);
      await page.getByText('Filters').click();
      await tool.selectOption('fake');
      await page.getByRole('button', { name: 'Show these' }).click();
      await page.waitForURL(/domain=fake/);
      expect(await tool.isVisible()).toBe(true);
      await page.setViewportSize({ width: 1200, height: 900 });
      await page.goto(stage.http.url);
      expect(await tool.isVisible()).toBe(true);
    });

    it(`takes at most ${MAX_WEIGHT} bytes for ${MANY} questions, each request once, and a screen for few`, async () => {
      const one = (at: number) =>
        start('harmless', { requested_by: 'Wanda', params: {}, items: [{ id: `w-${at}` }] });
      const large = await start('harmless', { requested_by: 'Wanda', batch_size: 200 });
      for (let at = 1; at < MANY; at += 8)
        await Promise.all(Array.from({ length: Math.min(8, MANY - at) }, (_, more) => one(at + more)));
      const signed = await signedIn('Ada');
      // A new browser has nothing in its cache.
      const context = await newContext(stage.browser, { viewport: { width: 1200, height: 900 } });
      await context.addCookies(await signed.context().cookies());
      await signed.context().close();
      const page = await context.newPage();
      const session = await context.newCDPSession(page);
      await session.send('Network.enable');
      const sent: string[] = [];
      let [bytes, unpacked] = [0, 0];
      session.on('Network.requestWillBeSent', ({ request }) => void sent.push(request.url));
      session.on('Network.loadingFinished', ({ encodedDataLength }) => void (bytes += encodedDataLength));
      session.on('Network.dataReceived', ({ dataLength }) => void (unpacked += dataLength));
      const answer = await page.goto(`${stage.http.url}/?q=Wanda`, { waitUntil: 'load' });
      const waiting = page.getByRole('region', { name: 'Waiting' });
      expect(await waiting.locator('a.row').count()).toBe(MANY);
      expect(sent.filter((url, at) => sent.indexOf(url) !== at)).toEqual([]);
      console.log(`${MANY} questions: ${bytes} bytes, unpacked ${unpacked}`);
      expect(bytes).toBeGreaterThan(10_000);
      expect(bytes).toBeLessThan(MAX_WEIGHT);
      const html = (await answer?.body())?.length ?? NaN;
      const nobody = (await (await context.request.get(`${stage.http.url}/?q=nobody`)).body()).length;
      expect(unpacked + (html - nobody) * (200 / MANY - 1)).toBeLessThan(MAX_UNPACKED_OF_200);
      const rows = await waiting
        .locator('a.row')
        .evaluateAll((all) => all.map((row) => [row.getAttribute('href'), row.innerHTML.length] as const));
      const weightOf = (isLarge: boolean) =>
        Math.max(...rows.filter(([href]) => isLarge === (href === `/operations/${large}`)).map(([, w]) => w));
      expect(weightOf(true) - weightOf(false)).toBeLessThan(200);
      const row = waiting.locator(`a.row:not([href="/operations/${large}"])`).first();
      expect((await row.boundingBox())?.height).toBeLessThan(50);
    });
  });
}
