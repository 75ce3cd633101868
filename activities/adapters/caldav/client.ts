import type * as Dav from 'tsdav';
import type { CallLimits } from '../../../src/contract/adapter';
import { isLoopback } from '../../../src/core/shared/allowed-hosts';
import { optional } from '../../../src/host/optional';
import { unlimited } from '../shared/allowance';
import type { CalendarEntry } from '../calendar/client';
import { malformed, providerText, refusal } from '../shared/failure';
import { decoded } from '../shared/parsed';
import { sendRequest } from '../shared/send';
import type { ServerAccount } from '../shared/server-account';
import { parseCalendar, type Component } from './icalendar';

export const PROVIDER = 'The calendar server';
/** The number of events that one request reads. */
const PAGE_SIZE = 100;

/** An event with all of its occurrences, as the server stores it. */
export interface StoredEvent {
  /** The last part of its address. */
  readonly name: string;
  readonly etag: string;
  readonly calendar: Component;
}

export type CaldavClient = ReturnType<typeof caldavClient>;

/** Creates the requests to the server, one function each. Each obeys the limits and throws `ProviderFailure`. */
export function caldavClient(account: ServerAccount, limits: CallLimits) {
  const dav = optional<typeof Dav>('tsdav');
  const ask = asking(account, limits);
  const addressOf = (calendar: string, name = '') =>
    new URL(calendar, account.url).href + encodeURIComponent(name);
  return {
    ...writes(ask, dav, addressOf),
    ...reads(ask, dav, addressOf),
    account: () => discovered(account.url, dav, ask),
    /** Returns true if the server itself sends invitations and changes to guests (RFC 6638). */
    async schedules(calendar: string): Promise<boolean> {
      const { headers } = await ask(addressOf(calendar), { method: 'OPTIONS' });
      return /calendar-auto-schedule/i.test(headers.get('dav') ?? '');
    },
  };
}

type Ask = (address: string, init: RequestInit) => Promise<Response>;
type AddressOf = (calendar: string, name?: string) => string;
const by = (ask: Ask) => ({ fetch: ask as typeof fetch });

function asking({ url: root, user, secret }: ServerAccount, limits: CallLimits): Ask {
  const credentials =
    'pass' in secret
      ? `Basic ${Buffer.from(`${user}:${secret.pass}`).toString('base64')}`
      : `Bearer ${secret.accessToken}`;
  const secrets = [...Object.values(secret), credentials, credentials.replace(/^\S+ /, '')];
  return async (address, init) => {
    const url = new URL(address, root);
    // The server itself can name other hosts. They receive the credentials, too.
    if (url.protocol !== 'https:' && !isLoopback(url.hostname)) throw malformed(PROVIDER);
    const headers = { ...(init.headers as Record<string, string>), authorization: credentials };
    const body = init.body == null ? {} : { body: String(init.body as string) };
    const request = { method: init.method ?? 'GET', url, headers, ...body };
    const { status, headers: answerHeaders, text } = await sendRequest(PROVIDER, request, unlimited, limits);
    const isMoved = status < 400 && url.pathname.startsWith('/.well-known/');
    if ((status < 200 || status > 299) && !isMoved)
      throw refusal(PROVIDER, { status, headers: answerHeaders }, providerText(reasonIn(text), secrets));
    return new Response(status === 204 || status === 304 ? null : text, { status, headers: answerHeaders });
  };
}

/** Returns the calendars and addresses of the account. */
async function discovered(
  root: string,
  dav: typeof Dav,
  ask: Ask,
): Promise<{ calendars: CalendarEntry[]; addresses: string[] }> {
  const account = { serverUrl: root, accountType: 'caldav' as const };
  const isHost = new URL(root).pathname === '/';
  const start = isHost ? await dav.serviceDiscovery({ account, ...by(ask) }) : root;
  const propsAt = async (url: string, props: object) =>
    answers(await dav.propfind({ url, props, depth: '0', ...by(ask) }))[0]?.props;
  const [path] = hrefsIn(
    (await propsAt(start, { 'd:current-user-principal': {} }))?.['currentUserPrincipal'],
  );
  const principal = new URL(path ?? start, start).href;
  const user = await propsAt(principal, { 'c:calendar-home-set': {}, 'c:calendar-user-address-set': {} });
  const [home] = hrefsIn(user?.['calendarHomeSet']);
  if (home === undefined) throw malformed(PROVIDER);
  const url = new URL(home, principal).href;
  const responses = await dav.propfind({ url, props: CALENDAR, depth: '1', ...by(ask) });
  const calendars = answers(responses).flatMap((response) => calendarOf(response, url, root));
  return { calendars, addresses: hrefsIn(user?.['calendarUserAddressSet']) };
}

function reads(ask: Ask, dav: typeof Dav, addressOf: AddressOf) {
  /** Sends a report. The report functions of tsdav fail if one of several events is gone. */
  async function report(calendar: string, body: object): Promise<Dav.DAVResponse[]> {
    const attributes = { 'xmlns:c': 'urn:ietf:params:xml:ns:caldav', 'xmlns:d': 'DAV:' };
    const init = { method: 'REPORT', namespace: 'c', headers: { depth: '1' }, body, attributes };
    const request = { url: addressOf(calendar), init: init as Dav.DAVRequest };
    return answers((await dav.davRequest({ ...request, ...by(ask) })).filter(exists));
  }
  async function objects(calendar: string, names: readonly string[]): Promise<StoredEvent[]> {
    const props = { 'd:getetag': {}, 'c:calendar-data': {} };
    const objectUrls = names.map((name) => new URL(addressOf(calendar, name)).pathname);
    const body = { 'calendar-multiget': { 'd:prop': props, 'd:href': objectUrls } };
    return (await report(calendar, body)).flatMap(({ href = '', props: values = {} }) => {
      const name = nameIn(href);
      const etag = textIn(values['getetag']);
      const data = textIn(values['calendarData']);
      if (!name || !names.includes(name)) return [];
      if (!etag || data === undefined) throw malformed(PROVIDER);
      const parsed = parseCalendar(data);
      return parsed ? [{ name, etag, calendar: parsed }] : [];
    });
  }
  return {
    /** The events with these names, without those that do not exist. */
    objects,
    /** Returns the events of a calendar with an occurrence in a time range. */
    async events(calendar: string, range?: { start?: string; end?: string }): Promise<StoredEvent[]> {
      const inRange = range && { 'time-range': { _attributes: range } };
      const inner = { _attributes: { name: 'VEVENT' }, ...inRange };
      const filters = { 'comp-filter': { _attributes: { name: 'VCALENDAR' }, 'comp-filter': inner } };
      const body = { 'calendar-query': { 'd:prop': { 'd:getetag': {} }, filter: filters } };
      const names = (await report(calendar, body)).flatMap(({ href = '' }) => nameIn(href) ?? []);
      const events: StoredEvent[] = [];
      for (let at = 0; at < names.length; at += PAGE_SIZE)
        events.push(...(await objects(calendar, names.slice(at, at + PAGE_SIZE))));
      return events;
    },
  };
}

function writes(ask: Ask, dav: typeof Dav, addressOf: AddressOf) {
  const headers = { 'content-type': 'text/calendar; charset=utf-8' };
  return {
    /** Returns the new version if the server stored `data` unchanged. Without `etag`, creates the event. */
    async put(calendar: string, name: string, data: string, etag?: string): Promise<string | undefined> {
      const object = { url: addressOf(calendar, name), data, ...by(ask) };
      const { headers: answerHeaders } =
        etag === undefined
          ? await dav.createObject({ ...object, headers: { ...headers, 'if-none-match': '*' } })
          : await dav.updateObject({ ...object, etag, headers });
      return answerHeaders.get('etag') ?? undefined;
    },
    async remove(calendar: string, name: string, etag: string): Promise<void> {
      await dav.deleteObject({ url: addressOf(calendar, name), etag, ...by(ask) });
    },
    /** Some servers do not check the version of an event that is moved. */
    async move(from: string, to: string, name: string, etag: string): Promise<void> {
      const headers = { destination: addressOf(to, name), overwrite: 'F', 'if-match': etag };
      await ask(addressOf(from, name), { method: 'MOVE', headers });
    },
  };
}

const CALENDAR = {
  ...{ 'd:displayname': {}, 'd:resourcetype': {}, 'd:current-user-privilege-set': {} },
  'c:supported-calendar-component-set': {},
};
const WRITES = ['all', 'write', 'writeContent'];

/** The id of a calendar is its address, without the origin if that is the configured one. */
function calendarOf({ href, props = {} }: Dav.DAVResponse, home: string, root: string): CalendarEntry[] {
  const { resourcetype, supportedCalendarComponentSet: kinds, currentUserPrivilegeSet: rights } = props;
  const components = listIn(kinds, 'comp').map(
    (component) => (component as { _attributes?: { name?: string } })._attributes?.name,
  );
  const isForEvents = components.length === 0 || components.includes('VEVENT');
  if (href === undefined || !('calendar' in Object(resourcetype)) || !isForEvents) return [];
  const address = new URL(href, home);
  const id = address.origin === new URL(root).origin ? address.pathname : address.href;
  const granted = listIn(rights, 'privilege').flatMap((privilege) =>
    Object.keys(Object(privilege) as object),
  );
  const accessRole =
    granted.length === 0 || WRITES.some((right) => granted.includes(right)) ? 'owner' : 'reader';
  const summary = textIn(props['displayname']) || id;
  return [{ id: id.endsWith('/') ? id : `${id}/`, summary, accessRole }];
}

const listIn = (value: unknown, member: string): unknown[] =>
  [(value as Record<string, unknown> | undefined)?.[member]]
    .flat()
    .filter((element) => element !== undefined);

/** tsdav turns texts that look like numbers into numbers. */
function textIn(value: unknown): string | undefined {
  const text = typeof value === 'object' ? (value as { _cdata?: unknown } | null)?._cdata : value;
  return ['string', 'number', 'boolean'].includes(typeof text) ? String(text) : undefined;
}
const hrefsIn = (value: unknown): string[] => listIn(value, 'href').flatMap((href) => textIn(href) ?? []);

const nameIn = (href: string): string | undefined => decoded(href.split(/[?#]/)[0]?.split('/').at(-1) ?? '');

/** Returns the successful responses of a multistatus. */
function answers(responses: Dav.DAVResponse[]): Dav.DAVResponse[] {
  const isMultistatus = responses.every(({ raw, props }) => props ?? 'multistatus' in Object(raw));
  if (!isMultistatus) throw malformed(PROVIDER);
  return responses.filter(({ ok, href, props }) => ok && props && href !== undefined);
}

/**
 * Returns false for an item that does not exist.
 * @throws ProviderFailure if the server refuses or fails to return an item, or all further ones (507).
 */
function exists({ ok, status, error }: Dav.DAVResponse): boolean {
  if (ok || status === 404 || status === 410) return ok;
  const failed = Object.keys(error ?? {}).find((name) => /^[a-z]/.test(name)) ?? '';
  const reason = failed.replace(/[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`);
  throw refusal(PROVIDER, { status, headers: new Headers() }, reason);
}

/** Returns the reason for a refusal. By RFC 4918, section 16, the answer names the failed precondition. */
function reasonIn(text: string): string {
  const [, failed = ''] = /<(?:\w+:)?error\b[^>]*>\s*<(?:\w+:)?([\w-]+)/.exec(text) ?? [];
  return failed.replaceAll('-', ' ') || (text.startsWith('<') ? '' : text);
}
