import type { Page } from 'playwright-core';
import { continueBulkOperation } from '../../src/client';
import { confirmAll, pageOf, signedIn, stage, start } from '../helpers/page-stage';

/** What a screen reader is told: the regions that changed, by the frame. */
const LISTEN = `(() => {
  window.told = [];
  let regions = new Set();
  const LIVE = '[role=status], [role=alert], [aria-live]';
  new MutationObserver((records) => {
    for (const { target } of records) {
      const region = (target.closest ? target : target.parentElement)?.closest(LIVE);
      if (region?.textContent.trim()) regions.add(region);
    }
    requestAnimationFrame(() => {
      told.push(...[...regions].map((one) => one.textContent.trim()));
      regions = new Set();
    });
  }).observe(document.body, { subtree: true, childList: true, characterData: true });
})()`;

const PLACE = `(() => {
  const { activeElement: at } = document;
  const { top } = document.querySelector('#record-title').getBoundingClientRect();
  return { top: Math.round(top) + 0, focus: at.id, text: at.value, caret: at.selectionStart };
})()`;

const PHONE = { width: 320, height: 640 };
const DESK = { width: 1200, height: 640 };
/** A window of 1280 by 800 pixels at 200%. */
const ZOOMED = { width: 640, height: 400 };

interface Place {
  top: number;
  focus: string;
  text: string;
  caret: number;
}

/** An update of a page that somebody reads. */
export function readingTests(): void {
  describe('an update', () => {
    it('leaves the place that is read, the focus, the caret and what is typed as they were', async () => {
      const id = await start('fake');
      await continueBulkOperation(stage.harness.client, id, { batch: 1 });
      const page = await signedIn('Ada', { viewport: { width: 1000, height: 500 } });
      await page.goto(pageOf(id));
      await page.getByText('Cancel…').click();
      await page.getByLabel('Why? (optional)').fill('half a sentence');
      await page.evaluate(`(() => {
        document.querySelector('#cancel-reason').setSelectionRange(4, 4);
        document.querySelector('#record-title').scrollIntoView({ block: 'start' });
      })()`);
      const before = await page.evaluate<Place>(PLACE);
      expect(before).toMatchObject({ focus: 'cancel-reason', text: 'half a sentence', caret: 4 });
      await continueBulkOperation(stage.harness.client, id, { batch: 2 });
      await page.getByText('Batch 2 is done. Next:').waitFor({ state: 'attached' });
      // Scrolling ends on whole pixels, and boxes do not.
      const moved = async () => Math.abs((await page.evaluate<Place>(PLACE)).top - before.top);
      expect(await page.evaluate(PLACE)).toMatchObject({ ...before, top: expect.any(Number) });
      expect(await moved()).toBeLessThanOrEqual(1);
      await continueBulkOperation(stage.harness.client, id, { batch: 3 });
      await page.getByText('✅ Completed!').waitFor();
      expect(await moved()).toBeLessThanOrEqual(1);
      stage.mails.marks.clear();
    });

    it('is announced once', async () => {
      const id = await start('fake');
      const page = await signedIn('Ada');
      await page.goto(pageOf(id));
      await page.evaluate(LISTEN);
      const asked = { body: { seconds: 90_000, by: 'Grace' } };
      await stage.http.done('POST', `/v1/operations/${id}/extend`, asked);
      await page.getByText('Grace gave it more time').first().waitFor();
      expect(await announced(page)).toEqual([expect.stringContaining('Grace gave it more time')]);
    });

    it('is announced when a batch begins and ends, and not for each of its items', async () => {
      stage.hold();
      const id = await start('slow');
      const page = await signedIn('Ada');
      await page.goto(pageOf(id));
      await page.evaluate(LISTEN);
      const over = continueBulkOperation(stage.harness.client, id, { batch: 1 });
      await page.getByText('1 of 6 items of this batch have ended.').waitFor();
      expect(await announced(page)).toEqual([expect.stringContaining('Running batch 1 of 1')]);
      stage.release();
      await over;
      await page.getByText('✅ Completed!').waitFor();
      expect((await announced(page)).slice(1)).toEqual([expect.stringContaining('✅ Completed!')]);
    });

    it('shows the items of a running batch as they end', async () => {
      stage.hold();
      const id = await start('slow');
      const page = await signedIn('Ada');
      await page.goto(pageOf(id));
      await page.getByRole('button', { name: 'Continue with 6 items' }).click();
      await page.getByText('1 of 6 items of this batch have ended.').waitFor();
      await page.getByText('Items and outcomes').click();
      await page.getByRole('row', { name: /^Item 1 .*done$/ }).waitFor();
      await page.getByText('1 done, 5 to go').waitFor();
      stage.release();
      await page.getByText('✅ Completed!').waitFor();
    });
  });

  describe('the decision bar', () => {
    it('is in sight at once at every width and at 200% zoom, and covers nothing that has the focus', async () => {
      const id = await start('fake');
      const page = await signedIn('Ada');
      for (const size of [DESK, { width: 640, height: 640 }, ZOOMED, PHONE]) {
        await page.setViewportSize(size);
        await page.goto(pageOf(id));
        const bar = page.locator('.decision-bar');
        expect(await bar.innerText()).toMatch(/Batch 1 of 3 · 10 emails · can be undone · (59|60) min/);
        expect([size, await inSight(page, 'button.go')]).toEqual([size, true]);
        expect([size, await inSight(page, '.decision-bar summary')]).toEqual([size, true]);
      }
      await page.getByRole('checkbox', { name: 'Run item 2:' }).uncheck();
      await page.getByText('1 item is left out').waitFor();
      for (const size of [PHONE, ZOOMED]) {
        await page.setViewportSize(size);
        await page.evaluate(`scrollTo(0, 0); document.activeElement.blur()`);
        for (const key of ['Tab', 'Shift+Tab'])
          for (let step = 0; step < 40; step++) {
            await page.keyboard.press(key);
            expect([size, key, step, await page.evaluate(COVERED)]).toEqual([size, key, step, null]);
          }
      }
    });

    it('takes a note, and cancels beside it', async () => {
      const [id, other] = [await start('fake'), await start('fake')];
      const page = await signedIn('Ada');
      await page.goto(pageOf(id));
      await page.getByText('Note…').click();
      await page.getByLabel('A note for the record (optional)').fill('as agreed');
      await page.getByRole('button', { name: 'Continue with 10 items' }).click();
      await page.getByText('Batch 1 is done. Next:').waitFor();
      expect((await stage.harness.status(id)).confirmations).toMatchObject([
        { by: 'Ada', note: 'as agreed' },
      ]);
      await page.getByText('Cancel…').click();
      await page.getByRole('button', { name: 'Cancel the operation' }).click();
      await page.getByText('Bulk mark on fake cancelled.').waitFor();
      await page.getByRole('link', { name: 'Next question' }).click();
      // Whichever has least time, such as one about items in doubt.
      await page.waitForURL(({ pathname }) => pathname.startsWith('/operations/') && !pathname.endsWith(id));
      await stage.http.done('POST', `/v1/operations/${other}/cancel`);
      stage.mails.marks.clear();
    });

    it('is reached by keys that move and leave out, and by none that decides', async () => {
      const id = await start('fake', { session_id: 'keys' });
      const page = await signedIn('Ada');
      await page.goto(`${stage.http.url}/?session=keys`);
      await page.locator('a.row').waitFor();
      await page.keyboard.press('j');
      await page.keyboard.press('o');
      await page.waitForURL(pageOf(id));
      for (const key of ['j', 'j', 'j', 'k', 'x']) await page.keyboard.press(key);
      await page.getByText('1 item is left out').waitFor();
      expect(await page.getByRole('checkbox', { name: 'Run item 2:' }).isChecked()).toBe(false);
      await page.locator('button.go:enabled').waitFor();
      for (const key of ['c', 'c', 'y']) await page.keyboard.press(key);
      expect((await stage.harness.status(id)).confirmations).toEqual([]);
    });
  });

  describe('what ended', () => {
    it('is offered to be undone only if something was changed, and is not completed if nothing was', async () => {
      const items = [{ id: 'item-022' }, { id: 'item-023' }];
      const id = await start('fake', { params: { mark: 'Again' }, items });
      await confirmAll(id);
      const page = await signedIn('Ada');
      await page.goto(pageOf(id));
      await page.getByRole('button', { name: 'Undo what was done' }).click();
      for (const box of [1, 2]) await page.getByRole('checkbox', { name: `Run item ${box}:` }).uncheck();
      await page.getByRole('button', { name: 'Skip all 2 items' }).click();
      await page.getByText('Nothing was undone: all 2 items were left out.').waitFor();
      expect(await page.getByText('Completed').count()).toBe(0);
      expect(await page.getByRole('button', { name: 'Undo what was done' }).count()).toBe(0);
      const same = await start('fake', { params: { mark: 'Again' }, items });
      await confirmAll(same);
      await page.goto(pageOf(same));
      await page.getByText('✅ Completed!').waitFor();
      expect(await page.getByRole('button', { name: 'Undo what was done' }).count()).toBe(0);
      stage.mails.marks.clear();
    });
  });
}

/** What was announced so far, also of the last change. */
async function announced(page: Page): Promise<string[]> {
  await page.evaluate(`new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))`);
  return page.evaluate<string[]>('told');
}

/** Whether an element is wholly in the window, with nothing over it. */
const inSight = (page: Page, selector: string): Promise<boolean> =>
  page.evaluate(
    `(() => {
      const one = document.querySelector(${JSON.stringify(selector)});
      const { left, right, top, bottom } = one.getBoundingClientRect();
      const over = document.elementFromPoint((left + right) / 2, (top + bottom) / 2);
      return top >= 0 && bottom <= innerHeight && one.contains(over);
    })()`,
  );

/** What has the focus, if the bar is over it. */
const COVERED = `(() => {
  const at = document.activeElement;
  const bar = document.querySelector('.decision-bar');
  if (!at || at === document.body || bar.contains(at)) return null;
  const { top, bottom } = at.getBoundingClientRect();
  const { top: barTop, bottom: barBottom } = bar.getBoundingClientRect();
  return bottom > barTop + 1 && top < barBottom - 1 ? at.outerHTML.slice(0, 100) : null;
})()`;
