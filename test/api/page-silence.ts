import { continueBulkOperation } from '../../src/client';
import { newContext, signedInBy } from '../helpers/browser';
import { gateway } from '../helpers/harness';
import { startHttpApi, type HttpApi } from '../helpers/http-api';
import { noting, settled, stage, start, whyOff } from '../helpers/page-stage';
import { startTcpProxy } from '../helpers/tcp-proxy';

/** How often the stream gives a sign of life here. Milliseconds. */
const BEAT_MS = 300;

/** A network that loses the stream of a page, or everything, without closing a connection. */
export function silenceTests(): void {
  describe('a page whose network falls silent', () => {
    let proxy: Awaited<ReturnType<typeof startTcpProxy>>;
    let http: HttpApi;
    const streams = new Set<number>();
    beforeAll(async () => {
      proxy = await startTcpProxy(0);
      http = await startHttpApi(stage.harness, {
        baseUrl: `http://127.0.0.1:${proxy.port}`,
        beatMs: BEAT_MS,
      });
      proxy.to = Number(new URL(http.url).port);
      proxy.rule = (bytes, connection) => {
        if (bytes.includes('GET /events')) streams.add(connection);
        return 'forward';
      };
    });
    afterEach(() => void (proxy.loses = undefined));
    afterAll(async () => {
      await proxy?.close();
      await http?.close();
      expect(http.failures).toEqual([]);
    });

    /** The page of an operation, once its stream lives. */
    async function opened(id: string) {
      const context = await newContext(stage.browser, { bypassCSP: true });
      const link = await http.api.signInLink({ name: 'Ada', role: 'admin' });
      const page = noting(await signedInBy(context, link));
      const alive = gateway();
      proxy.loses = (bytes, connection) => {
        if (streams.has(connection) && bytes.includes('event: beat')) alive.open();
        return false;
      };
      await page.goto(`http://127.0.0.1:${proxy.port}/operations/${id}`);
      await alive.opened;
      await settled(page);
      return page;
    }

    it('says since when it is not connected, takes no press, and connects again', async () => {
      const id = await start('fake');
      const page = await opened(id);
      proxy.loses = () => true;
      await page.getByText(/Not connected since \d\d:\d\d/).waitFor();
      expect(await whyOff(page)).toMatch(/^No connection since \d\d:\d\d/);
      expect(await page.locator('button.go').isDisabled()).toBe(true);
      await continueBulkOperation(stage.harness.client, id, { batch: 1 });
      proxy.loses = undefined;
      proxy.drop();
      await page.getByText('Batch 2 of 3').waitFor();
      await page.locator('#connection').waitFor({ state: 'hidden' });
      await continueBulkOperation(stage.harness.client, id, { batch: 2 });
      await page.getByText('Batch 3 of 3').waitFor();
      const complaints = stage.http.failures.splice(0).map(String);
      expect(complaints.filter((one) => !/net::ERR_|Failed to fetch/.test(one))).toEqual([]);
      stage.mails.marks.clear();
    });

    it('reads the page itself where only the stream is lost', async () => {
      const id = await start('fake');
      const page = await opened(id);
      await page.evaluate(`
        window.said = [];
        const place = document.querySelector('#connection');
        new MutationObserver(() => place.textContent && said.push(place.textContent))
          .observe(place, { childList: true, characterData: true, subtree: true });`);
      proxy.loses = (_, connection) => streams.has(connection);
      await page.waitForFunction('said.length > 0');
      await continueBulkOperation(stage.harness.client, id, { batch: 1 });
      await page.getByText('Batch 2 of 3').waitFor();
      await settled(page);
      await page.getByRole('button', { name: 'Continue with 10 items of batch 2' }).click();
      await page.getByText('Batch 3 of 3').waitFor();
      stage.mails.marks.clear();
    });
  });
}
