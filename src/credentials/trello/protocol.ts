import { z } from 'zod';

/** What Trello knows a program and its user by. */
export interface TrelloCredentials {
  readonly key: string;
  readonly token: string;
}

/** What goes between the quotes of the header. Anything else that was pasted is neither key nor token. */
const credential = z.string().regex(/^[\w.~+/=-]{1,500}$/);
export const trelloCredentialsSchema = z.object({ key: credential, token: credential });

export const storedTrelloLoginSchema = trelloCredentialsSchema.extend({ username: z.string() });
export type StoredTrelloLogin = z.infer<typeof storedTrelloLoginSchema>;

export const TRELLO_BASE_URL = 'https://api.trello.com';

/**
 * The header of a request: addresses, where Trello takes key and token too, end up in logs
 * (https://developer.atlassian.com/cloud/trello/guides/rest-api/authorization/).
 */
export const trelloAuthorization = ({ key, token }: TrelloCredentials): string =>
  `OAuth oauth_consumer_key="${key}", oauth_token="${token}"`;
