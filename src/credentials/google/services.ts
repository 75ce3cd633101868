import type { Config } from '../../config';

const AUTH = 'https://www.googleapis.com/auth';

interface Service {
  readonly name: string;
  /** The narrowest scopes that do. */
  readonly scopes: readonly string[];
  /** Wider ones that hold them, where an account grants those. */
  readonly wider: Readonly<Record<string, readonly string[]>>;
  /** What the consent page calls it. */
  readonly box: string;
  readonly baseUrl: (config: Config) => string | undefined;
}

/** Reading and labelling emails, without deleting them for good. */
export const GMAIL_SCOPE = `${AUTH}/gmail.modify`;
/** Reading and changing events, and not the calendars themselves. */
export const CALENDAR_EVENTS_SCOPE = `${AUTH}/calendar.events`;
/** The names of the calendars. */
export const CALENDAR_LIST_SCOPE = `${AUTH}/calendar.calendarlist.readonly`;

/** What of Google is used, and what each of it needs. */
export const GOOGLE_SERVICES = {
  gmail: {
    name: 'Gmail',
    scopes: [GMAIL_SCOPE],
    wider: { [GMAIL_SCOPE]: ['https://mail.google.com/'] },
    box: 'reading and changing emails',
    baseUrl: (config) => config.gmailBaseUrl,
  },
  calendar: {
    name: 'Google Calendar',
    scopes: [CALENDAR_EVENTS_SCOPE, CALENDAR_LIST_SCOPE],
    wider: {
      [CALENDAR_EVENTS_SCOPE]: [`${AUTH}/calendar`],
      [CALENDAR_LIST_SCOPE]: [
        `${AUTH}/calendar.calendarlist`,
        `${AUTH}/calendar.readonly`,
        `${AUTH}/calendar`,
      ],
    },
    box: 'the list of calendars and their events',
    baseUrl: (config) => config.calendarBaseUrl,
  },
} as const satisfies Record<string, Service>;

export type GoogleService = keyof typeof GOOGLE_SERVICES;
export const googleServices = Object.keys(GOOGLE_SERVICES) as GoogleService[];

/** The scopes of a service that are not among those granted. */
export function missingScopes(service: GoogleService, granted: readonly string[]): string[] {
  const { scopes, wider }: Service = GOOGLE_SERVICES[service];
  return scopes.filter((scope) => ![scope, ...(wider[scope] ?? [])].some((one) => granted.includes(one)));
}

export const scopesFor = (services: readonly GoogleService[]): string[] =>
  services.flatMap((service) => GOOGLE_SERVICES[service].scopes);

/** The exact command that asks for what a service needs. */
export const logInFor = (service: GoogleService): string =>
  service === 'gmail'
    ? 'Log in with `batchgate login google`.'
    : `Log in with \`batchgate login google --for ${service}\`.`;
