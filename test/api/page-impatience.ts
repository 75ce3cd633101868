import type { Page } from 'playwright-core';
import { isSettled } from '../../src/core/approval/selection';
import { hurriedly } from '../helpers/hurry';
import { describeInLongRun, itInLongRun, itInMain } from '../helpers/long-run';
import { lookAgain } from '../helpers/look-again';
import {
  acceptedOf,
  expectReloadSendsNothing,
  pageOf,
  settled,
  signedIn,
  stage,
  start,
  whyOff,
} from '../helpers/page-stage';

/** What must never confirm anything, and what a repeated press does. */
export function impatienceTests(): void {
  describe('impatience', () => {
    itInMain(
      'says what runs and disables every form, and lets the next question be read before it can be answered',
      async () => {
        const id = await start('fake');
        const page = await signedIn('Ada');
        await page.addInitScript(NOTE_LOADS);
        await page.goto(pageOf(id));
        await page.getByRole('button', { name: /^Continue with 10 items of batch 1$/ }).waitFor();
        await settled(page);
        // Playwright waits for the answer of a form, so the page itself notes what it shows until then.
        await page.evaluate(NOTE_AND_PRESS);
        const { x, y } = await middleOf(page);
        await page.mouse.click(x, y);
        await page.getByText('Batch 1 is done. Next:').waitFor();
        expect(await page.evaluate(`JSON.parse(sessionStorage.noted)`)).toEqual(['Running 10 emails…', 0]);
        await settled(page);
        expect(await whyOff(page)).toBe('');
        expect(await page.evaluate(`sessionStorage.loads`)).toMatch(/^(takes no press; )+$/);
        expect((await acceptedOf(id)).map(({ batch }) => batch)).toEqual([1]);
        await page.getByRole('button', { name: 'Continue with 10 items of batch 2' }).click();
        await page.getByText('Batch 2 is done. Next:').waitFor();
        expect((await acceptedOf(id)).map(({ batch }) => batch)).toEqual([1, 2]);
        stage.mails.marks.clear();
      },
    );

    itInLongRun('starts the time of a question again for a press that came too early', async () => {
      const id = await start('fake');
      const page = await signedIn('Ada', { hasTouch: true });
      await page.clock.install();
      await page.goto(pageOf(id));
      await page.clock.pauseAt(Date.now() + 1_000);
      const { x, y } = await middleOf(page);
      // As long as somebody taps faster than a person reads, nothing runs.
      for (let taps = 0; taps < 13; taps++) {
        await page.touchscreen.tap(x, y);
        await page.clock.runFor(700);
      }
      expect(await page.locator('button.go').isDisabled()).toBe(true);
      await page.clock.resume();
      await settled(page);
      expect(await acceptedOf(id)).toEqual([]);
      await page.touchscreen.tap(x, y);
      await page.getByText('Batch 1 is done. Next:').waitFor();
      stage.mails.marks.clear();
    });

    itInLongRun(
      'counts no time while the page is hidden, and no key that was down before the question came',
      async () => {
        const id = await start('fake');
        const page = await signedIn('Ada');
        await page.addInitScript(
          `Object.defineProperty(document, 'hidden', { get: () => window.isAway ?? true })`,
        );
        await page.goto(pageOf(id));
        const wasDelivered = async () =>
          parseInt(await page.locator('form.decide [name=shown_at]').inputValue());
        const longAgo = async () => {
          const at = await wasDelivered();
          while (!isSettled(at + 500, Date.now())) await lookAgain();
        };
        await longAgo();
        // The button keeps its name, and says beside it why it takes no press.
        const waiting = page.getByRole('button', { name: 'Continue with 10 items of batch 1', exact: true });
        expect(await waiting.isDisabled()).toBe(true);
        expect(await whyOff(page)).toBe('Waits a moment, so that you read it first.');
        await page.evaluate(`window.isAway = false; document.dispatchEvent(new Event('visibilitychange'))`);
        await settled(page);
        await page.keyboard.down('Enter');
        const { number: batch, attempt, digest } = (await stage.harness.status(id)).next_batch ?? {};
        const body = { batch, attempt, digest, by: 'Grace' };
        await stage.http.done('POST', `/v1/operations/${id}/continue`, { body });
        await page.getByText('Batch 1 is done. Next:').waitFor();
        await longAgo();
        await page.keyboard.down('Enter');
        expect(await page.locator('button.go').isDisabled()).toBe(true);
        expect(await whyOff(page)).toBe('Waits until you let go of what you hold down.');
        await page.keyboard.up('Enter');
        await settled(page);
        expect((await acceptedOf(id)).length).toBe(1);
        stage.mails.marks.clear();
      },
    );

    itInMain(
      'is refused by the server alone, without JavaScript, with the reason and the question',
      async () => {
        const page = await signedIn('Ada', { javaScriptEnabled: false });
        const id = await hurriedly(async () => {
          const operation = await start('fake');
          await page.goto(pageOf(operation));
          const since = parseInt(await page.locator('form.decide [name=shown_at]').inputValue());
          await page.evaluate(`document.querySelector('button.go').click()`);
          const outcome = /Nothing was run by your click|Ada confirmed batch 1/;
          await page.getByText(outcome).first().waitFor();
          return { took: Date.now() - since, answer: operation };
        });
        await page.getByText('Nothing was run by your click').waitFor();
        await page
          .getByText(/You pressed before the question for batch 1 had been on the page for two seconds/)
          .waitFor();
        expect(await acceptedOf(id)).toEqual([]);
        await expectReloadSendsNothing(page, 'Nothing was run by your click');
        await page.getByRole('button', { name: 'Continue with 10 items of batch 1' }).click();
        await page.getByText('Ada confirmed batch 1').first().waitFor();
        stage.mails.marks.clear();
      },
    );

    for (const javaScriptEnabled of [true, false])
      itInMain(`confirms nothing by Enter in a field (JavaScript: ${javaScriptEnabled})`, async () => {
        const id = await start('fake');
        const page = await signedIn('Ada', { javaScriptEnabled });
        await page.goto(pageOf(id));
        await settled(page);
        await page.getByRole('checkbox').first().press('Enter');
        await page.getByRole('checkbox').first().uncheck();
        if (!javaScriptEnabled)
          await page.getByRole('button', { name: 'Show the question without them' }).click();
        await page.getByText('The question changed.').waitFor();
        await settled(page);
        await page.getByLabel('Why? Optional').fill('from my boss');
        await page.getByLabel('Why? Optional').press('Enter');
        await page.getByText('Cancel…').click();
        await page.getByLabel('Why? (optional)').press('Enter');
        await page.getByText('Complete…').click();
        await page.getByLabel('Why is it complete?').fill('because');
        await page.getByLabel('Why is it complete?').press('Enter');
        expect(await acceptedOf(id)).toEqual([]);
        await page.getByRole('button', { name: 'Continue with 9 items of batch 1' }).click();
        await page.getByText('Ada confirmed batch 1').first().waitFor();
        expect(await stage.harness.status(id)).toMatchObject({ skipped: 1 });
        stage.mails.marks.clear();
      });
  });

  describeInLongRun('excluded items', () => {
    it('stay excluded after Back and a reload', async () => {
      const id = await start('fake');
      const page = await signedIn('Ada');
      await page.goto(pageOf(id));
      for (const item of [2, 5, 7]) await page.getByRole('checkbox', { name: `Run item ${item}:` }).uncheck();
      const button = page.getByRole('button', { name: 'Continue with 7 items' });
      await button.waitFor();
      await page.getByRole('link', { name: 'Inbox' }).click();
      await page.getByRole('heading', { name: 'Inbox' }).waitFor();
      await page.goBack();
      await button.waitFor();
      await page.reload();
      await button.click();
      await page.getByText('Batch 1 is done. Next:').waitFor();
      expect(await stage.harness.status(id)).toMatchObject({ succeeded: 7, skipped: 3 });
      stage.mails.marks.clear();
    });
  });

  describeInLongRun('items that are ticked off while the page is being read', () => {
    it('stay excluded', async () => {
      const id = await start('fake');
      const page = await signedIn('Ada');
      await page.goto(pageOf(id));
      const box = (item: number) => page.getByRole('checkbox', { name: `Run item ${item}:` });
      let letGo = () => {};
      const ticked = new Promise<void>((resolve) => (letGo = resolve));
      const isReading = (url: string) => url.startsWith(`${pageOf(id)}?`);
      const first = page.waitForRequest((request) => isReading(request.url()));
      await page.route(
        (url) => isReading(url.href),
        async (route) => {
          await ticked;
          await route.continue();
        },
      );
      await box(2).uncheck();
      await first;
      await box(5).uncheck();
      letGo();
      await page.getByRole('button', { name: 'Continue with 8 items' }).click();
      await page.getByText('Batch 1 is done. Next:').waitFor();
      expect(await stage.harness.status(id)).toMatchObject({ succeeded: 8, skipped: 2 });
      stage.mails.marks.clear();
    });
  });
}

/** Notes of each page that it loads whether the button takes a press then. */
const NOTE_LOADS = `document.addEventListener('DOMContentLoaded', () => {
  const button = document.querySelector('button.go');
  if (button) sessionStorage.loads = (sessionStorage.loads ?? '') + (button.disabled ? 'takes no press; ' : 'takes one; ');
})`;

/** Notes what the button shows once it was pressed, and how many buttons take a press; then presses on. */
const NOTE_AND_PRESS = `(() => {
  const button = document.querySelector('button.go');
  new MutationObserver(() => {
    const enabled = document.querySelectorAll('main form button:enabled:not([hidden])').length;
    sessionStorage.noted ??= JSON.stringify([button.textContent, enabled]);
    for (let press = 0; press < 12; press++) button.click();
  }).observe(button, { childList: true });
})()`;

/** The middle of the button that confirms. */
async function middleOf(page: Page): Promise<{ x: number; y: number }> {
  const button = page.locator('button.go');
  await button.scrollIntoViewIfNeeded();
  const { x, y, width, height } = (await button.boundingBox()) ?? { x: 0, y: 0, width: 0, height: 0 };
  return { x: x + width / 2, y: y + height / 2 };
}
