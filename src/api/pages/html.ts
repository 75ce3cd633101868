import { html } from 'hono/html';
import type { Role } from '../../contract/access';
import { shortened } from '../../contract/text';
import { PAGE_ROUTES } from '../../core/access/permissions';
import { directedParts } from '../../core/shared/directions';
import { nameText, oneLine } from '../../core/shared/plain-text';
import type { Principal } from '../principal';
import { assets } from './assets';
import { timesIn } from './times';

/** Markup. A value in a template of `html` is escaped as text, unless it is markup itself. */
export type Html = ReturnType<typeof html>;
export { html };

export const nothing = html``;

/** A name that other people chose. It cannot change how the text around it reads. */
export const named = (name: string, length = 300): Html =>
  html`<bdi class="name">${shortened(nameText(name), length)}</bdi>`;

/**
 * A text of ours. The values in it, and `names`, do not change the direction of the text around them. Times are shown
 * in the reader's zone.
 */
export const prose = (text: string, names?: readonly string[]): Html =>
  html`${directedParts(text, names).map(({ text: part, apart }) => (apart ? html`<bdi>${part}</bdi>` : timed(part)))}`;

const timed = (text: string): Html =>
  html`${timesIn(text).map(({ text: part, time }) => (time === undefined ? part : moment(time)))}`;

/** A value that other people chose. A value that is only a time is shown in the reader's zone. */
export function valueView(value: string): Html {
  const [first, ...others] = timesIn(value.trim());
  return first?.time === undefined || others.length > 0 ? named(value) : moment(first.time);
}

/** A name that other people chose, as part of an attribute. */
export const plainName = (name: string, length = 120): string => shortened(nameText(name), length);

export const plural = (count: number, one: string, many = `${one}s`): string =>
  `${count} ${count === 1 ? one : many}`;

const SHORT = { day: 'numeric', month: 'short', hour: '2-digit', minute: '2-digit' } as const;
const CLOCK = new Intl.DateTimeFormat('en-GB', SHORT);
const CALENDAR = new Intl.DateTimeFormat('en-GB', { ...SHORT, year: 'numeric' });

/** A time in the server's zone; the script on the page converts it to the reader's zone. */
export function moment(iso: string): Html {
  const at = new Date(iso);
  const format = at.getFullYear() === new Date().getFullYear() ? CLOCK : CALENDAR;
  return html`<time datetime="${iso}">${format.format(at)}</time>`;
}

const UNITS = [
  [86_400_000, 'day', 'd'],
  [3_600_000, 'hour', 'h'],
  [60_000, 'minute', 'min'],
  [1_000, 'second', 's'],
] as const;

/** The remaining time in the largest unit: `43 minutes`, `43 min`. */
function left(iso: string, style: CountdownStyle): string {
  const ms = Date.parse(iso) - Date.now();
  const [size, unit, short] = UNITS.find(([length]) => ms >= length) ?? [];
  if (size === undefined) return 'no time';
  const count = Math.floor(ms / size);
  return style === 'short' ? `${count} ${short}` : plural(count, unit);
}

type CountdownStyle = 'long' | 'short';

/** A question with less time is urgent. Milliseconds. */
const SOON_MS = 900_000;

/** The remaining time; the script on the page counts it down. */
export const countdown = (iso: string, style: CountdownStyle = 'long'): Html => {
  const soon = Date.parse(iso) - Date.now() < SOON_MS ? 'soon' : '';
  return html`<span class="${soon}" data-until="${iso}" data-style="${style}">${left(iso, style)}</span>`;
};

/** Whether this role may use a route. */
export const may = (role: Role, route: string): boolean => PAGE_ROUTES[route]?.roles.includes(role) ?? false;

/** The form token, which every form contains. */
export const formToken = ({ form_token = '' }: Principal): Html =>
  html`<input type="hidden" name="form_token" value="${form_token}" />`;

export const path = (...parts: string[]): string => `/${parts.map(encodeURIComponent).join('/')}`;

/** A row of a list of facts; nothing if there is no value. */
export const fact = (name: string, value: string | undefined): Html =>
  value === undefined
    ? nothing
    : html`<div>
        <dt>${name}</dt>
        <dd>${named(value, 200)}</dd>
      </div>`;

export interface Page {
  title: string;
  principal?: Principal;
  /** The entry of this page in the navigation. */
  at?: 'inbox' | 'start';
  body: Html;
  /** Additional elements for the page's head. */
  head?: Html;
}

const DAY = new Intl.DateTimeFormat('en-GB', { day: 'numeric', month: 'short', year: 'numeric' });
/** The title, with each time as a date: no script converts it. */
const titleText = (title: string): string =>
  timesIn(oneLine(title))
    .map(({ text, time }) => (time === undefined ? text : DAY.format(new Date(time))))
    .join('');

/** A complete HTML page. */
export function layout({ title, principal, at, body, head = nothing }: Page): Html {
  const current = (entry: Page['at']) => (entry === at ? html` aria-current="page"` : nothing);
  return html`<!doctype html>
    <html lang="en">
      <head>
        <meta charset="utf-8" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <meta name="color-scheme" content="light dark" />
        <meta
          name="htmx-config"
          content='{ "includeIndicatorCSS": false, "history": false, "noSwap": [204, 304, "4xx", "5xx"] }'
        />
        ${
          principal?.form_token === undefined
            ? nothing
            : html`<meta name="form-token" content="${principal.form_token}" />`
        }
        ${head}
        <title>${titleText(title)} · batchgate</title>
        <link rel="icon" href="${assets.icon.url}" />
        <link rel="stylesheet" href="${assets.css.url}" integrity="${assets.css.integrity}" />
        <script
          src="${assets.script.url}"
          integrity="${assets.script.integrity}"
          data-streams="${assets.streams.url}"
          data-passkeys="${assets.passkeys.url}"
          defer
        ></script>
      </head>
      <body>
        <a class="skip" href="#main">Skip to the content</a>
        <header class="top">
          <a class="brand" href="/">batchgate</a>
          ${
            principal
              ? html`<nav aria-label="Pages">
                    <a href="/" ${current('inbox')}>Inbox</a>
                    ${may(principal.role, 'GET /start') ? html`<a href="/start" ${current('start')}>Start</a>` : nothing}
                  </nav>
                  <form class="who" method="post" action="/sign-out">
                    ${formToken(principal)}
                    <span>${named(principal.name, 40)}</span>
                    <button class="quiet">Sign out</button>
                  </form>`
              : nothing
          }
        </header>
        <main id="main">${connection} ${body}</main>
        <noscript><p class="hint zone">Times are those of the server.</p></noscript>
      </body>
    </html>`;
}

/** The places where the script reports that the server, or a passkey, does not answer. */
const connection = html`<p id="connection" class="notice bad" role="status" hidden></p>
  <p id="passkey-said" class="notice bad" role="alert" hidden></p>`;

/** The query fields of a page's stream, as `addChanges` parses them. */
type StreamFields = Readonly<Record<string, string | number>>;

/** The part of a page that is refreshed whenever its content has changed. */
export interface LivePart {
  /** The page's own path. */
  own: string;
  /** The content that the stream follows; undefined if it cannot change any more. */
  on: StreamFields | undefined;
  /** The position of the stream before the content was read. */
  since: StreamFields;
  stream?: '/events' | '/gates/events';
  /** The selector of fields that a refresh sends besides those of a question. */
  fields?: string;
  delayMs?: number;
}

const asQuery = (fields: StreamFields): string =>
  Object.entries(fields)
    .map(([name, value]) => `${name}=${encodeURIComponent(value)}`)
    .join('&');

/** The part of a page that is refreshed whenever its content has changed (assets/page.js). */
export const live = (
  { own, on, since, stream = '/events', fields, delayMs = 60 }: LivePart,
  showing: Html,
  body: Html,
): Html =>
  html`<div
    id="live"
    hx-get="${own}"
    hx-select="#live"
    hx-swap="outerMorph"
    hx-include="${fields === undefined ? '' : `${fields}, `}.part:checked, .part-digest, .part-shown_at, .part-page"
    hx-trigger="state delay:${delayMs}ms, again, failed delay:2s"
    data-stream="${stream}"
    data-on="${on === undefined ? '' : asQuery(on)}"
    data-mark="${asQuery(since)}"
  >
    ${showing} ${body}
  </div>`;
