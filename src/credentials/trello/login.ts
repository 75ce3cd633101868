import type { Config } from '../../config';
import { BatchgateError } from '../../contract/errors';
import { TRELLO_BASE_URL, trelloCredentialsSchema } from './protocol';
import { revokeToken, whoAmI } from './requests';
import { parseTrelloLogin, trelloLoginStore } from './store';

/** How long a token lives; Trello knows these. */
export const EXPIRATIONS = ['1hour', '1day', '30days', 'never'] as const;
export type Expiration = (typeof EXPIRATIONS)[number];

/** What a login left behind, without its secrets. */
export interface TrelloLoginResult {
  provider: 'trello';
  username: string;
  file: string;
}

/**
 * The page where a person allows the access, and which then shows the token for copying. Trello would bring it back
 * to an address of ours only if that were among the allowed origins of the key, port and all.
 */
export function authorizePage(config: Config, key: string, expiration: Expiration): string {
  const page = new URL(`${withoutSlash(config.trelloBaseUrl ?? 'https://trello.com')}/1/authorize`);
  const asked = { response_type: 'token', scope: 'read,write', expiration, name: 'batchgate', key };
  for (const [name, value] of Object.entries(asked)) page.searchParams.set(name, value);
  return page.href;
}

/**
 * Keeps key and token in the data folder, once Trello has said whose they are.
 * @throws BatchgateError `CREDENTIALS_INVALID` when Trello refuses them.
 */
export async function loginTrello(config: Config, key: string, pasted: string): Promise<TrelloLoginResult> {
  const credentials = trelloCredentialsSchema.safeParse({ key, token: pasted });
  if (!credentials.success) {
    throw new BatchgateError(
      'CREDENTIALS_INVALID',
      pasted === ''
        ? 'No token was given; nothing was stored.'
        : 'This is no key and token; nothing was stored.',
      'Run `batchgate login trello` again, and paste the token, without blanks, from the page that it names.',
    );
  }
  const { username } = await whoAmI(baseUrlOf(config), credentials.data);
  const store = trelloLoginStore(config.dataDir);
  await store.exclusively(() => store.write({ ...credentials.data, username }));
  return { provider: 'trello', username, file: store.path };
}

/** Revokes the stored token at Trello's, and then removes it here. */
export async function forgetTrello(config: Config): Promise<{ provider: 'trello'; revoked: boolean }> {
  const store = trelloLoginStore(config.dataDir);
  if ((await store.readAnyway()) === undefined) {
    throw new BatchgateError('NOT_FOUND', `No login is stored in ${store.path}.`, 'There is nothing to do.');
  }
  return store.exclusively(async () => {
    const login = parseTrelloLogin((await store.readAnyway()) ?? '');
    if (login) await revokeToken(baseUrlOf(config), login);
    await store.remove();
    return { provider: 'trello', revoked: login !== undefined };
  });
}

const baseUrlOf = ({ trelloBaseUrl }: Config): string => withoutSlash(trelloBaseUrl ?? TRELLO_BASE_URL);

const withoutSlash = (url: string): string => url.replace(/\/+$/, '');
