import { html } from '../../src/api/pages/html';
import { plain, sectionsView } from '../../src/api/pages/inbox-sections';

const rows = (name: string, count: number) =>
  plain(Array.from({ length: count }, (_, at) => html`<li>${name} ${at + 1}.</li>`));
const sections = [
  { title: 'Waiting', rows: rows('question', 250) },
  { title: 'Ended today', rows: rows('end', 25) },
];
const shown = async (place: object, filter: object = {}) =>
  String(await sectionsView(sections, place, filter));
const listed = (page: string) => [...page.matchAll(/(question|end) \d+\./g)].map(([text]) => text);

it('lists each section from its beginning, and links to the rest of it with the same filter', async () => {
  const page = await shown({}, { domain: 'gmail', search: 'Ann & Co' });
  expect(listed(page)).toHaveLength(100 + 20);
  expect(page).toContain('href="/?domain=gmail&amp;q=Ann+%26+Co&amp;section=waiting&amp;from=100"');
  expect(page).toContain('1 to 20 of 25');
  expect(page).not.toContain('Previous');
});

it('lists one section from a place in it, and every row on one of the pages', async () => {
  const pages = await Promise.all([0, 100, 200].map((from) => shown({ section: 'waiting', from })));
  expect(pages.flatMap(listed)).toEqual(Array.from({ length: 250 }, (_, at) => `question ${at + 1}.`));
  expect(pages[1]).toContain('101 to 200 of 250');
  expect(pages[1]).toMatch(/from=0">Previous<.*from=200">Next</s);
  expect(pages[2]).not.toContain('Next');
});

it('begins again where a section has become shorter', async () => {
  expect(listed(await shown({ section: 'ended-today', from: 60 }))[0]).toBe('end 1.');
  expect(listed(await shown({ section: 'unknown', from: 60 }))).toHaveLength(120);
});
