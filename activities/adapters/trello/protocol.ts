import { z } from 'zod';

/** The key identifies a program, and the token identifies its user. */
export interface TrelloCredentials {
  readonly key: string;
  readonly token: string;
}

/** The characters that are allowed between the quotes of the header. */
const credential = z.string().regex(/^[\w.~+/=-]{1,500}$/);
export const trelloCredentialsSchema = z.object({ key: credential, token: credential });

export const storedTrelloLoginSchema = trelloCredentialsSchema.extend({ username: z.string() });
export type StoredTrelloLogin = z.infer<typeof storedTrelloLoginSchema>;

export const TRELLO_BASE_URL = 'https://api.trello.com';

/**
 * Returns the header of a request. Trello also accepts key and token in the address, but addresses are written to logs
 * (https://developer.atlassian.com/cloud/trello/guides/rest-api/authorization/).
 */
export const trelloAuthorization = ({ key, token }: TrelloCredentials): string =>
  `OAuth oauth_consumer_key="${key}", oauth_token="${token}"`;
