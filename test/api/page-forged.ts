import type { Page } from 'playwright-core';
import { pageOf, signedIn, stage, start } from '../helpers/page-stage';

export function forgedTests(): void {
  describe('forged names', () => {
    it('never change the question, the layout or the meaning of the page', async () => {
      const named = await start('forged', { batch_size: 200 });
      const page = await signedIn('Ada', { viewport: { width: 320, height: 700 } });
      await page.goto(pageOf(named));
      const seen = await page.evaluate<Record<string, unknown>>(`(() => {
      const main = document.querySelector('main');
      const rows = [...main.querySelectorAll('.items > li')];
      return {
        items: rows.length,
        elements: [...new Set([...main.querySelectorAll('.items .title *')].map(({ tagName }) => tagName))],
        wide: document.documentElement.scrollWidth,
        tall: Math.max(...rows.map((row) => row.getBoundingClientRect().height)),
        buttons: [...main.querySelectorAll('button:not([hidden])')].map(({ textContent }) => textContent.trim()),
        forms: [...main.querySelectorAll('form')].map((form) => form.getAttribute('action').split('/').at(-1)),
        scripts: document.scripts.length,
        title: document.querySelector('h1').textContent,
        hidden: /[\\u202a-\\u202e\\u2066-\\u2069\\u200b\\u001b]/.test(main.textContent),
      };
    })()`);
      expect(seen).toMatchObject({ items: 200, elements: ['BDI'], scripts: 1, hidden: false });
      expect(seen.title).toBe('Mark each item of the group “all”.');
      expect(seen.wide).toBeLessThanOrEqual(320);
      expect(seen.tall).toBeLessThan(400);
      expect(seen.buttons).toEqual([
        'Continue with 200 items of batch 1',
        'Send it back',
        'Cancel the operation',
        'Complete the operation',
        'Let it wait longer',
      ]);
      expect(seen.forms).toEqual(['revise', 'cancel', 'continue', 'complete', 'extend']);
    });

    it('leave everything outside the names unchanged compared with harmless names, pixel for pixel', async () => {
      const page = await signedIn('Ada', { viewport: { width: 320, height: 700 }, javaScriptEnabled: false });
      const seen = async (forging: boolean) => {
        stage.forge(forging);
        await page.goto(pageOf(await start('forged', { batch_size: 200 })));
        return {
          ...(await page.evaluate<{ text: string; boxes: string[] }>(OUTSIDE)),
          ...(await shots(page)),
        };
      };
      const harmless = await seen(false);
      const forged = await seen(true);
      expect(forged.text).toBe(harmless.text);
      expect(forged.boxes).toEqual(harmless.boxes);
      for (const part of PARTS)
        expect([part, forged[part]?.equals(harmless[part] as Buffer)]).toEqual([part, true]);
    });
  });
}

const PARTS = [
  'header.top',
  '.question .overline',
  '#question-title',
  '.question .facts',
  '.decision-bar',
  '.others',
] as const;

async function shots(page: Page): Promise<Partial<Record<(typeof PARTS)[number], Buffer>>> {
  const taken: Partial<Record<(typeof PARTS)[number], Buffer>> = {};
  for (const part of PARTS) taken[part] = await page.locator(part).screenshot({ animations: 'disabled' });
  return taken;
}

/** The page and its layout, without the item names and without what differs between any two operations. */
const OUTSIDE = `(() => {
  const main = document.querySelector('main');
  for (const one of main.querySelectorAll('time, .due, .code, [data-until]')) {
    one.textContent = 'the same';
    delete one.dataset.until;
  }
  delete main.querySelector('#live').dataset.mark;
  const boxes = [...main.querySelectorAll('*')]
    .filter((one) => !one.closest('.items label, .all-items'))
    .map((one) => {
      const { left, width } = one.getBoundingClientRect();
      return one.tagName + ' ' + one.className + ' ' + left + ' ' + width;
    });
  const copy = main.cloneNode(true);
  for (const one of copy.querySelectorAll('.items .title, .all-items .name')) one.textContent = '';
  for (const one of copy.querySelectorAll('.items input')) one.removeAttribute('aria-label');
  for (const one of copy.querySelectorAll('time')) one.removeAttribute('datetime');
  for (const one of copy.querySelectorAll('[name=shown_at], [name=question]')) one.removeAttribute('value');
  const text = copy.innerHTML
    .replace(/[0-9a-f]{8}-[0-9a-f-]{27}|[0-9a-f]{12,64}|\\d{13}/g, '')
    .replace(/\\s+/g, ' ');
  return { text, boxes };
})()`;
