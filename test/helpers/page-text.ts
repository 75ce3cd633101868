import { HTTP_STATUS } from '../../src/contract/errors';

const ENTITIES: Readonly<Record<string, string>> = { amp: '&', lt: '<', gt: '>', quot: '"', '#39': "'" };

const decoded = (text: string): string =>
  text.replace(/&(amp|lt|gt|quot|#39);/g, (entity, name: string) => ENTITIES[name] ?? entity);

/** The visible text of a page before anything is unfolded, with the words of some attributes. */
export function pageText(page: string): string {
  const html = unfolded(page.replace(/<(script|style)\b[\s\S]*?<\/\1>|<meta\b[^>]*>/g, ''));
  const attributes = [...html.matchAll(/\b(?:placeholder|aria-label|title|alt)="([^"]*)"/g)].map(
    ([, value]) => value,
  );
  const text = html.replace(/<[^>]*>/g, ' ');
  return decoded([text, ...attributes].join(' ')).replace(/\s+/g, ' ');
}

/** A page without its folded parts. */
function unfolded(page: string): string {
  const innermost = /<details\b([^>]*)>((?:(?!<details\b)[\s\S])*?)<\/details>/g;
  const rest = page.replace(innermost, (_, attributes: string, content: string) =>
    /\sopen\b/.test(attributes) ? content : (/<summary\b[\s\S]*?<\/summary>/.exec(content)?.[0] ?? ''),
  );
  return rest === page ? rest : unfolded(rest);
}

const CODES = Object.keys(HTTP_STATUS).join('|');

/** Words that only a person at a terminal or in a program understands. */
const TECHNICAL = new RegExp(
  String.raw`\[HINT\]|[{}\`]|\d{4}-\d\d-\d\dT\d\d:\d\d|\b(?:${CODES})\b|\b[A-Z]{3,}_[A-Z_]+\b|\b(?:UTC|JSON|HTTP|CEL|RFC|npx|undefined|null)\b|\/v1\/|\/openapi`,
);

/** The first such words of a page with the text around them; undefined if there are none. */
export function leftoverOf(page: string): string | undefined {
  const text = pageText(page);
  const at = text.search(TECHNICAL);
  return at === -1 ? undefined : text.slice(Math.max(0, at - 80), at + 80);
}
