import type { BrowserContext, Page } from 'playwright-core';
import { continueBulkOperation } from '../../src/client';
import { PAGE_LIMIT_MS } from '../helpers/browser';
import { lookAgain } from '../helpers/look-again';
import { acceptedOf, pageOf, settled, signedIn, stage, start } from '../helpers/page-stage';

/** How many streams the server has open. */
async function openStreams(): Promise<number> {
  const { body } = await stage.http.ask('GET', '/metrics');
  return Number(/^batchgate_http_streams (\d+)$/m.exec(String(body))?.[1]);
}

async function streamsAre(count: number): Promise<void> {
  const until = Date.now() + PAGE_LIMIT_MS;
  for (let open = await openStreams(); open !== count; open = await openStreams()) {
    if (Date.now() > until) throw new Error(`${open} streams are open, not ${count}`);
    await lookAgain();
  }
}

async function opened(context: BrowserContext, ids: readonly string[]): Promise<Page[]> {
  return Promise.all(
    ids.map(async (id) => {
      const page = await context.newPage();
      await page.goto(pageOf(id));
      return page;
    }),
  );
}

/** Browsers that lack what the windows would share. */
const LACKING = {
  'a shared worker': '',
  'a window that leads': 'delete window.SharedWorker',
} as const;

/** Several windows of one browser. */
export function windowTests(): void {
  describe('six windows side by side', () => {
    it.each(Object.keys(LACKING) as (keyof typeof LACKING)[])(
      'share one connection by %s: Continue in one acts at once, and all follow',
      async (how) => {
        const first = await signedIn('Ada');
        const context = first.context();
        await context.addInitScript(LACKING[how]);
        const ids = await Promise.all(Array.from({ length: 6 }, () => start('fake')));
        const pages = await opened(context, ids);
        await streamsAre(6);
        const [page] = pages;
        await settled(page!);
        await page!.getByRole('button', { name: 'Continue with 10 items of batch 1' }).click();
        await page!.getByText('Batch 1 is done. Next:').waitFor();
        for (const id of ids.slice(1)) await continueBulkOperation(stage.harness.client, id, { batch: 1 });
        for (const one of pages) await one.getByText('Batch 2 of 3').waitFor();
        // The window that has the stream of all goes, and another takes its place.
        await page!.close();
        for (const id of ids.slice(1)) await continueBulkOperation(stage.harness.client, id, { batch: 2 });
        for (const one of pages.slice(1)) await one.getByText('Batch 3 of 3').waitFor();
        expect((await acceptedOf(ids[0]!)).length).toBe(1);
        stage.mails.marks.clear();
      },
    );

    it('leave no connection open after a newer one, even if one between them is not answered', async () => {
      const context = (await signedIn('Ada')).context();
      await context.addInitScript(LACKING['a window that leads']);
      let connections = 0;
      await context.route(
        ({ pathname }) => pathname === '/events',
        (route) => (++connections === 2 ? undefined : route.continue()),
      );
      const ids = await Promise.all(Array.from({ length: 3 }, () => start('fake')));
      await opened(context, ids.slice(0, 1));
      await streamsAre(1);
      await opened(context, ids.slice(1, 2));
      while (connections < 2) await lookAgain();
      await opened(context, ids.slice(2));
      await streamsAre(3);
    });
  });
}
