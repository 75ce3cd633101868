import type { Locator, Page } from 'playwright-core';
import { confirmOpen } from '../helpers/confirm';
import {
  acceptedOf,
  lookUntil,
  pageOf,
  settled,
  signedIn,
  stage,
  start,
  violations,
} from '../helpers/page-stage';

const PHONE = { width: 320, height: 640 };
const KEY_PRESSES = 80;

/** Presses Tab until this has the focus. */
async function tabTo(page: Page, target: Locator, key: 'Tab' | 'Shift+Tab' = 'Tab'): Promise<void> {
  for (let press = 0; press < KEY_PRESSES; press++) {
    const isThere = await target.evaluate((one) =>
      (one as unknown as { matches(css: string): boolean }).matches(':focus'),
    );
    if (isThere) return;
    await page.keyboard.press(key);
  }
  throw new Error(`${KEY_PRESSES} times ${key} do not reach ${String(target)}`);
}

async function press(page: Page, target: Locator, key?: 'Shift+Tab'): Promise<void> {
  await tabTo(page, target, key);
  await page.keyboard.press('Enter');
}

/** Every answer besides yes and no, by keys alone on a phone's width, with and without scripts. */
export function answerTests(): void {
  describe.each([true, false])('by keys alone at 320 px, with scripts: %s', (javaScriptEnabled) => {
    /** The page of an operation, once its question has been in sight for long enough. */
    async function opened(id: string, name = 'Ada'): Promise<Page> {
      const page = await signedIn(name, { javaScriptEnabled, viewport: PHONE });
      await page.goto(pageOf(id));
      await settled(page);
      return page;
    }
    const button = (page: Page, name: string | RegExp) => page.getByRole('button', { name });
    const nine = (page: Page) => button(page, 'Continue with 9 items of batch 1');
    const expectFit = async (page: Page) =>
      expect(await page.evaluate('document.documentElement.scrollWidth <= innerWidth')).toBe(true);

    it('sends a question back with what to do instead, and starts again with it', async () => {
      const id = await start('fake', { params: { group: 'all', mark: 'Later' } });
      const page = await opened(id);
      await press(page, page.getByText('Send back…'));
      await tabTo(page, page.getByLabel('What should be done instead?'));
      await page.keyboard.type('Call it Archive.');
      await expectFit(page);
      await press(page, button(page, 'Send it back'));
      await page.getByText('Sent back', { exact: true }).waitFor();
      await expectFit(page);
      await press(page, page.getByRole('link', { name: 'Start again…' }));
      await page.getByText('Call it Archive.').waitFor();
      await expectFit(page);
      const mark = page.getByLabel('Mark');
      expect(await mark.inputValue()).toBe('Later');
      await tabTo(page, mark);
      await page.keyboard.press('Control+A');
      await page.keyboard.type('Archive');
      await tabTo(page, page.getByLabel('Why do you ask for this?'));
      await page.keyboard.type('As you said.');
      await press(page, button(page, 'Start with the first question'));
      await page.getByText('As you said.').first().waitFor();
      await page.getByText(/What differs: .*“Later” → “Archive”/).waitFor();
      await expectFit(page);
    });

    it('edits the change of a question', async () => {
      const id = await start('fake', { params: { group: 'all', mark: 'Later' } });
      const page = await opened(id);
      await press(page, page.getByRole('link', { name: 'Change it…' }));
      const mark = page.getByLabel('Mark');
      await tabTo(page, mark);
      await page.keyboard.press('Control+A');
      await page.keyboard.type('Archive');
      await expectFit(page);
      await press(page, button(page, 'Ask for this instead'));
      await page.getByRole('heading', { name: /Archive/ }).waitFor();
      expect((await stage.harness.status(id)).next_batch).toMatchObject({ attempt: 2 });
      await expectFit(page);
    });

    it('confirms for later, and takes that back', async () => {
      const id = await start('fake');
      const page = await opened(id);
      await press(page, page.getByText('Later…'));
      await tabTo(page, page.getByLabel('Confirm it now, and run it'));
      await page.keyboard.press('ArrowDown');
      await expectFit(page);
      await press(page, page.locator('button.go'), 'Shift+Tab');
      await page.getByRole('heading', { name: /^Batch 1 of 3 runs at/ }).waitFor();
      expect(await acceptedOf(id)).toMatchObject([
        { decision: 'continue', scheduled_for: expect.any(String) },
      ]);
      await expectFit(page);
      await press(page, button(page, 'Take back'));
      await page.getByText('took the confirmation back').first().waitFor();
      await page.getByText('Attempt 2').waitFor();
      await expectFit(page);
      expect(stage.mails.marks.size).toBe(0);
    });

    it('opens every group of a plan to all of its items', async () => {
      stage.mails.marks.set('item-005', 'Mine');
      const id = await start('fake', { params: { group: 'all', mark: 'Later' } });
      stage.mails.marks.clear();
      const page = await opened(id);
      await press(page, page.getByRole('link', { name: 'See all of them' }));
      await page.getByText('Item 5', { exact: true }).waitFor();
      await press(page, page.locator('summary', { hasText: '23 items' }));
      await expectFit(page);
      const names = page.getByText(/^Item \d+$/).filter({ visible: true });
      expect(new Set(await names.allInnerTexts()).size).toBe(24);
    });

    it('continues at the time from which a tool takes requests again, and nothing runs before', async () => {
      const until = new Date(Date.now() + 3_600_000).toISOString();
      stage.refuseUntil(until);
      const id = await start('busy');
      await confirmOpen(stage.harness.client, id);
      const page = await opened(id);
      await button(page, /^Continue with 6 items of batch 1 at/).waitFor();
      await expectFit(page);
      await press(page, page.locator('button.go'));
      await page.getByRole('heading', { name: /^Batch 1 of 1 runs at/ }).waitFor();
      await expectFit(page);
      expect(await stage.harness.status(id)).toMatchObject({ scheduled_for: until, processed: 0 });
    });

    it('counts the approvals of two people, and begins again without an item', async () => {
      const id = await start('fake', { requested_by: 'Two' });
      const ada = await opened(id);
      await press(ada, ada.getByText('Delegate…'));
      await tabTo(ada, ada.getByLabel(/^Who approves in your place/));
      await ada.keyboard.type('Cleo');
      await expectFit(ada);
      await press(ada, button(ada, 'Let them approve'));
      await ada.getByText('delegated their approval').first().waitFor();
      const ben = await opened(id, 'Ben');
      await ben.getByText('Approvals: 0 of 2.').first().waitFor();
      await tabTo(ben, ben.getByRole('checkbox', { name: 'Run item 1: Item 1' }));
      await ben.keyboard.press('Space');
      if (javaScriptEnabled) await ben.getByText('The question changed.').waitFor();
      else await press(ben, button(ben, 'Show the question without them'));
      await settled(ben);
      await ben.getByText('The others are asked about anew, and approvals begin again.').waitFor();
      await press(ben, button(ben, 'Leave out 1 item of batch 1'));
      await ben.getByText('Approvals begin again: “Ben” left out 1 item.').first().waitFor();
      await expectFit(ben);
      await settled(ben);
      const approve = button(ben, 'Approve 9 items of batch 1 (1 of 2)');
      expect(await approve.getAttribute('data-busy')).toBe('Recording approval 1 of 2…');
      await press(ben, approve);
      await ben.getByText('Approvals: 1 of 2').first().waitFor();
      await ben.getByText('You have approved this. Nothing runs yet. Still needed: Ada.').waitFor();
      await expectFit(ben);
      expect(await ben.locator('button.go').count()).toBe(0);
      expect(stage.mails.marks.size).toBe(0);
      const cleo = await opened(id, 'Cleo');
      await press(cleo, nine(cleo));
      if (javaScriptEnabled) await cleo.getByText('Batch 1 is done. Next:').waitFor();
      else await lookUntil(cleo, 'Batch 2 of 3');
      await expectFit(cleo);
      expect(stage.mails.marks.size).toBe(9);
      stage.mails.marks.clear();
    });
  });

  it('takes back by a link, with no axe violation', async () => {
    const id = await start('fake', { params: { group: 'all', mark: 'Later' } });
    const page = await signedIn('Ada', { viewport: PHONE, bypassCSP: true });
    const asked = { body: { name: 'Cleo' } };
    const { body } = await stage.http.done('POST', `/v1/operations/${id}/links`, asked);
    await page.goto((body as { url: string }).url);
    await settled(page);
    await page.getByText('Later…').click();
    await page.getByLabel('Confirm it now, and run it').selectOption('in 1 hour');
    await page.locator('button.go').click();
    await page.getByRole('heading', { name: /^Batch 1 of 3 runs at/ }).waitFor();
    expect(await violations(page)).toEqual([]);
    await page.getByRole('button', { name: 'Take back' }).click();
    await page.getByText('Its batch did not run.').waitFor();
    expect(await violations(page)).toEqual([]);
    expect((await stage.harness.status(id)).next_batch).toMatchObject({ attempt: 2 });
  });
}
