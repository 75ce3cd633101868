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
      await page.evaluate(`new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))`);
      expect(await page.evaluate('told')).toEqual([expect.stringContaining('Grace gave it more time')]);
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
    it('is in sight at once at every width, and covers nothing that has the focus', async () => {
      const id = await start('fake');
      const page = await signedIn('Ada', { viewport: { width: 320, height: 640 } });
      for (const width of [1200, 640, 320]) {
        await page.setViewportSize({ width, height: 640 });
        await page.goto(pageOf(id));
        const bar = page.locator('.decision-bar');
        expect(await bar.innerText()).toMatch(/Batch 1 of 3 · 10 emails · can be undone · (59|60) min/);
        expect(await inSight(page, 'button.go')).toBe(true);
        expect(await inSight(page, '.decision-bar summary')).toBe(true);
      }
      await page.getByRole('checkbox', { name: 'Run item 2:' }).uncheck();
      await page.getByText('1 item is left out').waitFor();
      await page.evaluate(`scrollTo(0, 0); document.activeElement.blur()`);
      for (let step = 0; step < 40; step++) {
        await page.keyboard.press('Tab');
        expect(await page.evaluate(COVERED)).toBeNull();
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
      await page.locator('button.go').waitFor();
      expect(page.url()).not.toContain(id);
      await stage.http.done('POST', `/v1/operations/${other}/cancel`);
      stage.mails.marks.clear();
    });

    it('is reached by keys that move and leave out, and by none that decides', async () => {
      const id = await start('fake', { session_id: 'keys' });
      const page = await signedIn('Ada');
      await page.goto(`${stage.http.url}/?session=keys`);
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
