import type { Config } from '../../../src/host/config';

const AUTH = 'https://www.googleapis.com/auth';

interface Service {
  readonly name: string;
  /** The narrowest sufficient scopes. */
  readonly scopes: readonly string[];
  /** For each scope, the wider scopes that include it. */
  readonly wider: Readonly<Record<string, readonly string[]>>;
  /** The name of the checkbox on the consent page. */
  readonly box: string;
  readonly baseUrl: (config: Config) => string | undefined;
}

/** Reading and labelling emails, without permanent deletion. */
export const GMAIL_SCOPE = `${AUTH}/gmail.modify`;
/** Reading and changing events, but not the calendars themselves. */
export const CALENDAR_EVENTS_SCOPE = `${AUTH}/calendar.events`;
/** Reading the list of calendars. */
export const CALENDAR_LIST_SCOPE = `${AUTH}/calendar.calendarlist.readonly`;

/** The Google services in use, with the requirements of each. */
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

/** Returns the scopes of a service that were not granted. */
export function missingScopes(service: GoogleService, granted: readonly string[]): string[] {
  const { scopes, wider }: Service = GOOGLE_SERVICES[service];
  return scopes.filter((scope) => ![scope, ...(wider[scope] ?? [])].some((name) => granted.includes(name)));
}

export const scopesFor = (services: readonly GoogleService[]): string[] =>
  services.flatMap((service) => GOOGLE_SERVICES[service].scopes);

/** Returns the command that requests the scopes of a service. */
export const logInFor = (service: GoogleService): string =>
  service === 'gmail'
    ? 'Log in with `batchgate login google`.'
    : `Log in with \`batchgate login google --for ${service}\`.`;
