import type { Page } from 'playwright-core';
import { pageOf, signedIn, stage, start, violations } from '../helpers/page-stage';

const FORM = '/start/diary/mark';
const focused = (page: Page) => page.evaluate<string>('document.activeElement.name');
const send = (page: Page) => page.getByRole('button', { name: 'Start with the first question' }).click();

/** The forms that start an operation, in a browser. */
export function formTests(): void {
  describe('a form', () => {
    it.each([true, false])('focuses its first mistake, with scripts: %s', async (javaScriptEnabled) => {
      const page = await signedIn('Ada', { javaScriptEnabled });
      await page.goto(`${stage.http.url}${FORM}`);
      await page.getByLabel('Text').fill('Stand-up');
      await page.getByLabel('Shift minutes').fill('ten');
      await page.getByText('More settings').click();
      await page.getByLabel('Items per batch').fill('7.5');
      await send(page);
      await page.getByRole('heading', { name: 'Nothing was started' }).waitFor();
      const minutes = page.getByLabel('Shift minutes');
      if (javaScriptEnabled) expect(await focused(page)).toBe('shift_minutes');
      expect(await minutes.getAttribute('aria-invalid')).toBe('true');
      expect(await minutes.inputValue()).toBe('ten');
      expect(await page.getByLabel('Items per batch').isVisible()).toBe(true);
      await page.getByRole('link', { name: 'Items per batch' }).click();
      if (javaScriptEnabled) {
        expect(await focused(page)).toBe('batch_size');
        expect(await violations(page)).toEqual([]);
      }
      await minutes.fill('5');
      await page.getByLabel('Items per batch').fill('');
      await send(page);
      await page.getByText('Batch 1 of 1').waitFor();
    });

    it('has times in the zone of the browser, and keeps them', async () => {
      const page = await signedIn('Ada', { timezoneId: 'America/New_York' });
      await page.goto(`${stage.http.url}${FORM}`);
      await page.getByText('Time zone: New York').first().waitFor();
      await page.getByLabel('Since').fill('2026-07-01T09:00');
      await send(page);
      await page.getByRole('heading', { name: 'Nothing was started' }).waitFor();
      expect(await page.getByLabel('Since').inputValue()).toBe('2026-07-01T09:00');
      expect(await page.locator('input[name=zone]').first().inputValue()).toBe('America/New_York');
    });

    it('has the times of a change that is edited in the zone of the browser', async () => {
      const params = { text: 'Stand-up', shift_minutes: 5, due_at: '2026-07-01T09:00:00Z' };
      const id = await start('diary', { params });
      const page = await signedIn('Ada', { timezoneId: 'America/New_York' });
      await page.goto(`${pageOf(id)}/edit`);
      expect(await page.locator('#field-due_at').inputValue()).toBe('2026-07-01T05:00');
      expect(await page.locator('input[name=zone]').first().inputValue()).toBe('America/New_York');
    });

    it('suggests values of the tool, and takes a file', async () => {
      const page = await signedIn('Ada');
      await page.goto(`${stage.http.url}${FORM}`);
      await page.getByLabel('Text').focus();
      await page.locator('datalist option[value="Monday review"]').waitFor({ state: 'attached' });
      await page.getByLabel('Shift minutes').fill('5');
      await page.getByText('Name the entries yourself').click();
      const buffer = Buffer.from('id;Room\ne-1;North\n');
      await page
        .getByLabel(/Or choose a file/)
        .setInputFiles({ name: 'entries.csv', mimeType: 'text/csv', buffer });
      await page.getByRole('button', { name: 'Check the list' }).click();
      await page.getByRole('columnheader', { name: 'Room' }).waitFor();
      expect(await page.getByLabel(/One item per line/).inputValue()).toBe('id;Room\ne-1;North\n');
      expect(await violations(page)).toEqual([]);
      await send(page);
      await page.getByRole('checkbox', { name: 'Run item 1: e-1' }).waitFor();
    });
  });
}
