import { getBulkItems } from '../../src/client';
import { lookUntil, pageOf, settled, signedIn, stage, start } from '../helpers/page-stage';

/** The items of a question, by what happens to them. */
export function groupTests(): void {
  describe('a question about items to which different things happen', () => {
    const mixed = () => {
      stage.mails.marks.clear();
      for (const id of ['item-002', 'item-003']) stage.mails.marks.set(id, 'Later');
      stage.mails.marks.set('item-005', 'Mine');
      return start('fake', { params: { group: 'all', mark: 'Later' } });
    };
    afterEach(() => stage.mails.marks.clear());

    it('sums them up in one line, and shows outliers first, each with a checkbox', async () => {
      const id = await mixed();
      const page = await signedIn('Ada');
      await page.goto(pageOf(id));
      await page
        .getByText('7: mark: none → “Later” · 2 are already so · 1: mark: “Mine” → “Later”')
        .waitFor();
      await page.getByText('All 24 items: 21: mark: none → “Later” · 2 are already so · 1:').waitFor();
      const names = () =>
        page
          .locator('.part')
          .evaluateAll((boxes) => boxes.map((box) => box.getAttribute('aria-label')?.split(': ')[1]));
      const order = [5, 2, 3, 1, 4, 6, 7, 8, 9, 10].map((at) => `Item ${at}`);
      expect(await names()).toEqual(order);
      expect(await page.getByText('mark none → “Later”').count()).toBe(1);
      // A group that a person closes stays closed while the page reads itself, and keys pass it by.
      await page.getByText('7 items').click();
      await page.getByRole('checkbox', { name: 'Run item 5: Item 5' }).uncheck();
      await page.getByText('The question changed.').waitFor();
      expect(await names()).toEqual(order);
      expect(await page.getByRole('checkbox').count()).toBe(3);
      for (const key of ['j', 'j', 'j', 'j']) await page.keyboard.press(key);
      expect(await page.evaluate('document.activeElement.value')).toBe('2');
      await page.getByText('7 items').click();
      await page.getByRole('checkbox', { name: 'Run item 6: Item 6' }).uncheck();
      await page.getByText('6 of 7 items').waitFor();
      await settled(page);
      await page.getByRole('button', { name: 'Continue with 8 items of batch 1' }).click();
      await page.getByText('Batch 1 is done. Next:').waitFor();
      const { items } = await getBulkItems(stage.harness.client, id, { outcome: 'skipped' });
      expect(items.map((item) => item.id)).toEqual(['item-005', 'item-006']);
    });

    it('opens each group to all of its items, and runs exactly what is ticked, without JavaScript', async () => {
      const id = await mixed();
      const page = await signedIn('Ada', { javaScriptEnabled: false });
      await page.goto(pageOf(id));
      await page.getByText('2 items').click();
      expect(await page.getByRole('checkbox', { name: 'Run item 2: Item 2' }).count()).toBe(0);
      await page.getByText('2 items').click();
      await page.getByRole('checkbox', { name: 'Run item 2: Item 2' }).uncheck();
      await page.getByRole('checkbox', { name: 'Run item 10: Item 10' }).uncheck();
      await page.getByRole('button', { name: 'Show the question without them' }).click();
      await page.getByRole('button', { name: 'Continue with 8 items' }).click();
      await lookUntil(page, 'Batch 2 of 3');
      const { items } = await getBulkItems(stage.harness.client, id, { outcome: 'skipped' });
      expect(items.map((item) => item.id)).toEqual(['item-002', 'item-010']);
    });

    it('has the same groups in its JSON', async () => {
      const id = await mixed();
      const { body } = await stage.http.ask('GET', `/v1/operations/${id}`);
      expect(body.groups.map(({ count }: any) => count)).toEqual([1, 2, 21]);
      expect(body.next_batch.groups).toMatchObject([
        { kind: 'changes', count: 1, text: 'mark: “Mine” → “Later”', items: ['item-005'] },
        { kind: 'already', count: 2, items: ['item-002', 'item-003'] },
        { kind: 'changes', count: 7, fields: [{ name: 'mark', from: 'none', to: '“Later”' }] },
      ]);
    });
  });
}
