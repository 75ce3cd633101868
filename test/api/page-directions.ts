import { confirmAll, pageOf, signedIn, stage, start } from '../helpers/page-stage';

/** Names and values that are written from right to left. Where they are on the screen counts, not the text. */
export function directionTests(): void {
  describe('values that are written from right to left', () => {
    it('are where they belong: before and after, names before ids before errors', async () => {
      stage.mails.marks.set('item-001', 'ישן');
      const id = await start('fake', { params: { group: 'all', mark: 'חדש' } });
      const page = await signedIn('Ada');
      const leftToRight = (selector: string, ...texts: string[]) =>
        page.evaluate<number[]>(`(${PLACES})(${JSON.stringify([selector, ...texts])})`);
      await page.goto(pageOf(id));
      expect(await leftToRight('.diff', 'mark', 'ישן', 'חדש')).toEqual([0, 1, 2]);
      expect(await leftToRight('.alike', 'none', 'ישן', 'חדש')).toEqual([0, 1, 2]);
      expect(await leftToRight('#question-title', 'all', 'חדש')).toEqual([0, 1]);
      stage.mails.marks.clear();

      const failing = await start('hebrew', { params: { group: 'קבוצה', mark: 'סימון' } });
      await page.goto(pageOf(failing));
      expect(await leftToRight('.items li', 'שלום, עולם', 'פריט (א)')).toEqual([0, 1]);
      expect(await leftToRight('#question-title', 'קבוצה', 'סימון')).toEqual([0, 1]);
      await confirmAll(failing);
      await page.getByText('Completed').first().waitFor();
      expect(await leftToRight('main pre', 'שלום, עולם', 'פריט (א)', 'תקלה 5')).toEqual([0, 1, 2]);
      expect(await leftToRight('.errors li', 'שלום, עולם', 'פריט (א)')).toEqual([0, 1]);
    });
  });
}

/** The order of texts on the screen, from left to right: in the first element that the selector finds, by place. */
const PLACES = `([selector, ...texts]) => {
  const root = document.querySelector(selector);
  const nodes = [];
  const walker = document.createTreeWalker(root, NodeFilter.SHOW_TEXT);
  while (walker.nextNode()) nodes.push(walker.currentNode);
  const all = nodes.map(({ data }) => data).join('');
  const at = (place) => {
    for (const node of nodes) {
      if (place <= node.length) return [node, place];
      place -= node.length;
    }
  };
  let from = 0;
  const lefts = texts.map((text) => {
    const start = all.indexOf(text, from);
    if (start < 0) throw new Error(text + ' is not in ' + all);
    from = start + text.length;
    const range = document.createRange();
    range.setStart(...at(start + 1));
    range.setEnd(...at(from));
    return range.getBoundingClientRect().left;
  });
  return lefts.map((_, place) => place).sort((a, b) => lefts[a] - lefts[b]);
}`;
