import { get } from 'node:http';
import { newContext } from '../helpers/browser';
import { pageOf, settled, signedIn, stage, start } from '../helpers/page-stage';

/** What only somebody at a terminal or in a program understands. */
const TECHNICAL = /npx |`|\bUTC\b|\[HINT\]|\b[A-Z]{3,}_[A-Z_]+\b|\/v1\/|\bJSON\b|[{}]/;

/** What pages say, and what they weigh. */
export function wordTests(): void {
  describe('a page for people', () => {
    it('answers an unknown address, a used link and a sign-in that is needed, in plain words', async () => {
      const page = await signedIn('Ada');
      const used = await stage.http.api.signInLink({ name: 'Ada', role: 'viewer' });
      const other = await (await newContext(stage.browser)).newPage();
      await other.goto(used);
      await other.getByRole('button', { name: 'Sign in' }).click();
      await other.getByRole('heading', { name: 'Inbox' }).waitFor();
      await other.context().clearCookies();
      for (const [window, address, status] of [
        [page, '/nowhere', 404],
        [page, '/operations/none', 404],
        [page, '/gates/made.up', 403],
        [other, '/', 401],
        [other, '/nowhere', 401],
        [other, new URL(used).pathname + new URL(used).search, 401],
      ] as const) {
        const answer = await window.goto(`${stage.http.url}${address}`);
        const text = await window.locator('body').innerText();
        expect([address, answer?.status(), answer?.headers()['content-type']]).toEqual([
          ...[address, status, 'text/html; charset=utf-8'],
        ]);
        expect([address, TECHNICAL.exec(text)?.[0]]).toEqual([address, undefined]);
        expect(await window.locator('link[rel=stylesheet]').count()).toBe(1);
        expect(await window.evaluate('getComputedStyle(document.body).margin')).toBe('0px');
      }
      const asProgram = await fetch(`${stage.http.url}/nowhere`, { headers: { accept: '*/*' } });
      expect(asProgram.headers.get('content-type')).toMatch(/^application\/problem\+json/);
    });

    it('opens after the sign-in, if it was asked for before', async () => {
      const id = await start('fake');
      const page = await (await newContext(stage.browser)).newPage();
      await page.goto(pageOf(id));
      await page.getByRole('heading', { name: 'Please sign in' }).waitFor();
      for (const address of [pageOf(id), `${stage.http.url}/`]) {
        await page.goto(await stage.http.api.signInLink({ name: 'Ada', role: 'admin' }));
        await page.getByRole('button', { name: 'Sign in' }).click();
        await page.waitForURL(address);
      }
    });

    it('leaves no row in the inbox for a form that was refused', async () => {
      const page = await signedIn('Rosa');
      await page.goto(`${stage.http.url}/start/fake/mark`);
      await page.getByLabel('Group').fill('all');
      await page.getByText('More settings').click();
      await page.getByLabel('Items per batch').fill('500');
      await page.getByRole('button', { name: 'Start with the first question' }).click();
      await page.getByText('Nothing was started').waitFor();
      await page.goto(`${stage.http.url}/?q=rosa`);
      expect(await page.locator('a.row').count()).toBe(0);
    });

    it('loads each thing once, compressed', async () => {
      const id = await start('fake');
      const page = await signedIn('Ada');
      const loaded: string[] = [];
      page.on('request', (request) => {
        // The browser looks for the icon in its own cache, too.
        if (!request.url().endsWith('/icon.svg')) loaded.push(request.url().replace(/\?.*/, ''));
      });
      await page.goto(pageOf(id));
      await settled(page);
      expect(loaded.filter((one, at) => loaded.indexOf(one) !== at)).toEqual([]);
      loaded.splice(0);
      const inbox = `${stage.http.url}/`;
      await page.goto(`${inbox}?q=Thea`);
      const rows = await page.locator('a.row').count();
      await start('fake', { requested_by: 'Thea' });
      await page.locator('a.row').nth(rows).waitFor();
      // Once, and again for the new row.
      expect(loaded.filter((one) => one === inbox).length).toBe(2);
      const [{ name, value } = { name: '', value: '' }] = await page.context().cookies();
      const script = await page.locator('script[data-streams]').getAttribute('src');
      for (const address of ['/', String(script)]) {
        const [plain, small] = await Promise.all(
          ['identity', 'br, gzip'].map((encoding) => weightOf(address, `${name}=${value}`, encoding)),
        );
        expect([plain?.encoding, small?.encoding]).toEqual([undefined, 'br']);
        expect(small?.bytes).toBeLessThan((plain?.bytes ?? 0) / 2);
      }
    });
  });
}

/** What travels. */
function weightOf(
  path: string,
  cookie: string,
  encoding: string,
): Promise<{ bytes: number; encoding?: string }> {
  return new Promise((resolve, reject) => {
    const headers = { cookie, accept: 'text/html', 'accept-encoding': encoding };
    get(`${stage.http.url}${path}`, { headers }, (answer) => {
      let bytes = 0;
      answer.on('data', (chunk: Buffer) => (bytes += chunk.length));
      answer.on('end', () => resolve({ bytes, encoding: answer.headers['content-encoding'] }));
    }).on('error', reject);
  });
}
