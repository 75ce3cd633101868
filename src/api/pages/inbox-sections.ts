import { html, named, nothing, type Html } from './html';
import type { Row } from './inbox-rows';

/** Filters the jobs of the inbox. */
export interface InboxFilter {
  domain?: string;
  session?: string;
  state?: string;
  /** Text in an id, a requester, or the name of an item. */
  search?: string;
}

/** One section, from a position in it. */
export interface Place {
  section?: string;
  from?: number;
}

/** A part of the inbox with a heading. */
export interface Section {
  title: string;
  rows: readonly Row[];
  /** Whether more rows match than are listed. */
  hasMore?: boolean;
}

/** Rows that are not grouped. */
export const plain = (rows: readonly Html[]): Row[] => rows.map((row) => ({ show: () => row }));

/** The maximum number of rows of a section on one page: of questions, and of everything else. */
const MOST = { Waiting: 100, others: 20 };
/** The minimum number of rows with the same `below` that get it as a heading. */
const TOGETHER = 3;

const idOf = (title: string) => title.toLowerCase().replace(/\W+/g, '-');

/** All sections, each from its beginning, or one of them from a position in it. */
export function sectionsView(
  sections: readonly Section[],
  { section, from = 0 }: Place,
  filter: InboxFilter,
): Html {
  const match = sections.find(({ title }) => idOf(title) === section);
  if (match) return sectionView(match, from, filter);
  return html`${sections.map((each) => sectionView(each, 0, filter))}`;
}

function sectionView({ title, rows, hasMore = false }: Section, from: number, filter: InboxFilter): Html {
  if (rows.length === 0) return nothing;
  const id = `list-${idOf(title)}`;
  const most = title === 'Waiting' ? MOST.Waiting : MOST.others;
  const first = from < rows.length ? from : 0;
  const listed = rows.slice(first, first + most);
  return html`<section aria-labelledby="${id}">
    <h2 id="${id}">${title} <span class="count">${rows.length}${hasMore ? '+' : ''}</span></h2>
    ${together(listed)} ${otherPages({ title, count: rows.length, first, most }, filter)}
  </section>`;
}

/** The rows. Those with the same `below` are under a heading; the others come first. */
function together(rows: readonly Row[]): Html {
  const words = [...new Set(rows.flatMap(({ below }) => below ?? []))];
  const groups = words
    .map((each) => [each, rows.filter(({ below }) => below === each)] as const)
    .filter(([, of]) => of.length >= TOGETHER);
  const heads = new Set(groups.map(([each]) => each));
  const isAlone = ({ below }: Row) => below === undefined || !heads.has(below);
  return html`${list(rows.filter(isAlone), false)}
  ${groups.map(
    ([each, of]) =>
      html`<details class="together" id="together-${encodeURIComponent(each)}" open>
        <summary>
          <h3>${named(each, 100)} <span class="count">${of.length}</span></h3>
        </summary>
        ${list(of, true)}
      </details>`,
  )}`;
}

const list = (rows: readonly Row[], isBelow: boolean): Html =>
  rows.length === 0
    ? nothing
    : html`<ul class="list">
        ${rows.map(({ show }) => show(isBelow))}
      </ul>`;

interface Paged {
  title: string;
  count: number;
  first: number;
  most: number;
}

function otherPages({ title, count, first, most }: Paged, filter: InboxFilter): Html {
  if (count <= most) return nothing;
  const to = (from: number, words: string) => {
    const query = new URLSearchParams({ ...queryOf(filter), section: idOf(title), from: String(from) });
    return html`<a href="/?${query.toString()}">${words}</a>`;
  };
  return html`<nav class="links" aria-label="Pages of ${title}">
    <span>${first + 1} to ${Math.min(first + most, count)} of ${count}</span>
    ${first > 0 ? to(Math.max(0, first - most), 'Previous') : nothing}
    ${first + most < count ? to(first + most, 'Next') : nothing}
  </nav>`;
}

const queryOf = ({ search, ...filter }: InboxFilter): Record<string, string> =>
  Object.fromEntries(
    Object.entries({ ...filter, q: search }).flatMap(([name, value]) =>
      value === undefined ? [] : [[name, value] as const],
    ),
  );
