import { continueBulkOperation } from '../../src/client';
import { acceptedOf, pageOf, settled, signedIn, stage, start, whyOff } from '../helpers/page-stage';

/** What a page does while nobody looks at it, or while the server cannot be reached. */
export function connectionTests(): void {
  describe('an open page', () => {
    it('says since when it is not connected, takes no press meanwhile, and keeps what was chosen', async () => {
      const id = await start('fake');
      const page = await signedIn('Ada');
      await page.goto(pageOf(id));
      await settled(page);
      await page.context().setOffline(true);
      await page.getByRole('checkbox', { name: 'Run item 1: Item 1' }).uncheck();
      await page.getByText(/Not connected since \d\d:\d\d/).waitFor();
      expect(await page.locator('button.go').isDisabled()).toBe(true);
      await page.context().setOffline(false);
      await page.getByRole('button', { name: 'Continue with 9 items' }).click();
      await page.getByText('Batch 1 is done. Next:').waitFor();
      expect(await page.getByText('Not connected').count()).toBe(0);
      expect((await acceptedOf(id)).length).toBe(1);
      const complaints = stage.http.failures.splice(0).map(String);
      expect(complaints.filter((one) => !/ERR_INTERNET_DISCONNECTED|Failed to fetch/.test(one))).toEqual([]);
      stage.mails.marks.clear();
    });

    it('keeps what was typed when it is sent before anybody noticed the outage, and sends it once', async () => {
      const id = await start('fake');
      const page = await signedIn('Ada');
      // A browser does not always know that its network is gone.
      await page.addInitScript(
        `addEventListener('offline', (event) => event.stopImmediatePropagation(), { capture: true })`,
      );
      await page.goto(pageOf(id));
      await settled(page);
      await page.getByRole('checkbox', { name: 'Run item 2: Item 2' }).uncheck();
      await page.getByText('Note…').click();
      await page.getByLabel('A note for the record').fill('half of them');
      const go = page.getByRole('button', { name: 'Continue with 9 items of batch 1' });
      await settled(page);
      await page.context().setOffline(true);
      await page.evaluate(`document.querySelector('button.go').click()`);
      await page.getByText(/Not connected since \d\d:\d\d/).waitFor();
      expect(await whyOff(page)).toMatch(/^No connection since \d\d:\d\d/);
      expect(page.url()).toMatch(pageOf(id));
      await page.getByText('Cancel…').click();
      await page.getByLabel('Why? (optional)').fill('or all of it');
      await page.getByRole('button', { name: 'Cancel the operation' }).click();
      expect(await page.getByLabel('Why? (optional)').inputValue()).toBe('or all of it');
      await page.context().setOffline(false);
      await settled(page);
      expect(await page.getByLabel('A note for the record').inputValue()).toBe('half of them');
      await go.click();
      await page.getByText('Batch 1 is done. Next:').waitFor();
      expect(await acceptedOf(id)).toMatchObject([{ decision: 'continue', batch: 1, note: 'half of them' }]);
      const complaints = stage.http.failures.splice(0).map(String);
      expect(complaints.filter((one) => !/ERR_INTERNET_DISCONNECTED|Failed to fetch/.test(one))).toEqual([]);
      stage.mails.marks.clear();
    });

    it('sends one decision on a slow network, however often it is pressed', async () => {
      const id = await start('fake');
      const page = await signedIn('Ada');
      await page.goto(pageOf(id));
      await settled(page);
      const network = await page.context().newCDPSession(page);
      const slow = { offline: false, latency: 600, downloadThroughput: 20_000, uploadThroughput: 20_000 };
      await network.send('Network.emulateNetworkConditions', slow);
      const { x, y, width, height } = (await page.locator('button.go').boundingBox())!;
      for (let press = 0; press < 8; press++) await page.mouse.click(x + width / 2, y + height / 2);
      await page.getByText('Batch 1 is done. Next:').waitFor();
      expect((await acceptedOf(id)).length).toBe(1);
      stage.mails.marks.clear();
    });

    it('holds no stream while it is hidden, and shows what changed once somebody looks', async () => {
      const id = await start('fake');
      const page = await signedIn('Ada');
      const streams: string[] = [];
      page.on('request', (request) => request.url().includes('/events?') && streams.push(request.url()));
      // What a worker requests is not seen here.
      await page.addInitScript('delete window.SharedWorker');
      await page.addInitScript(
        `Object.defineProperty(document, 'hidden', { get: () => window.isAway ?? true })`,
      );
      streams.splice(0);
      await page.goto(pageOf(id), { waitUntil: 'networkidle' });
      await continueBulkOperation(stage.harness.client, id, { batch: 1 });
      expect([streams, await page.getByText('Batch 1 of 3').count()]).toEqual([[], 1]);
      await page.evaluate(`window.isAway = false; document.dispatchEvent(new Event('visibilitychange'))`);
      await page.getByText('Batch 2 of 3').waitFor();
      await continueBulkOperation(stage.harness.client, id, { batch: 2 });
      await page.getByText('Batch 3 of 3').waitFor();
      expect(streams.length).toBeGreaterThan(0);
      stage.mails.marks.clear();
    });

    it('reads a list again once a time is over, which somebody may have made longer', async () => {
      const id = await start('fake');
      const page = await signedIn('Ada');
      await page.clock.install();
      await page.goto(`${stage.http.url}/?q=${id}`);
      const until = (await page.locator('a.row [data-until]').first().getAttribute('data-until')) ?? '';
      const now = await page.evaluate<number>('Date.now()');
      const read = page.waitForResponse((answer) => new URL(answer.url()).pathname === '/');
      await page.clock.fastForward(Date.parse(until) - now + 2_000);
      expect((await read).status()).toBe(200);
    });

    it('counts down the time that is left', async () => {
      const id = await start('fake');
      const page = await signedIn('Ada');
      // A hidden page asks for nothing that could time out meanwhile.
      await page.addInitScript(`Object.defineProperty(document, 'hidden', { get: () => true })`);
      await page.clock.install();
      await page.goto(pageOf(id), { waitUntil: 'networkidle' });
      const left = page.locator('[data-until]').first();
      const minutes = async () => parseInt(await left.innerText());
      const before = await minutes();
      await page.clock.fastForward(600_000);
      expect([before - 10, before - 11]).toContain(await minutes());
      // In its last minute, each second.
      const until = await left.getAttribute('data-until');
      await page.clock.pauseAt(Date.parse(until ?? '') - 30_500);
      expect(await left.innerText()).toBe('30 seconds');
      await page.clock.runFor(10_000);
      expect(await left.innerText()).toBe('20 seconds');
    });
  });
}
