import { z } from 'zod';

/** The remaining lifetime below which an access token is not used. */
const SPARE_MS = 60_000;
/** Used if Google does not send the lifetime of an access token. */
const USUAL_LIFE_MS = 3_600_000;

export interface GoogleEndpoints {
  readonly authorize: string;
  readonly token: string;
  readonly revoke: string;
}

/** Google's own endpoints, or those below another server's base URL. */
export function googleEndpoints(baseUrl?: string): GoogleEndpoints {
  if (baseUrl === undefined) {
    return {
      authorize: 'https://accounts.google.com/o/oauth2/v2/auth',
      token: 'https://oauth2.googleapis.com/token',
      revoke: 'https://oauth2.googleapis.com/revoke',
    };
  }
  return {
    authorize: `${baseUrl}/o/oauth2/v2/auth`,
    token: `${baseUrl}/oauth2/token`,
    revoke: `${baseUrl}/oauth2/revoke`,
  };
}

/** The answer of the token endpoint, after the client library replaced `expires_in` by a date. */
export const tokenAnswerSchema = z.object({
  access_token: z.string().min(1),
  refresh_token: z.string().min(1).nullish(),
  expiry_date: z.number().nullish(),
  scope: z.string().nullish(),
  refresh_token_expires_in: z.number().nullish(),
});
export type TokenAnswer = z.infer<typeof tokenAnswerSchema>;

const accessTokenSchema = z.object({ access_token: z.string().min(1), expires_at: z.iso.datetime() });
export type AccessToken = z.infer<typeof accessTokenSchema>;

/** The login that `login google` stores. */
export const storedLoginSchema = accessTokenSchema.extend({
  client_id: z.string().min(1),
  client_secret: z.string().min(1).optional(),
  refresh_token: z.string().min(1),
  scopes: z.array(z.string()),
  /** The expiry of the login itself: a week for apps in testing. Google sends none for other apps. */
  login_expires_at: z.iso.datetime().optional(),
});
export type StoredLogin = z.infer<typeof storedLoginSchema>;

/** Merges Google's answer into the stored login. Google sends the refresh token only once, and scopes not always. */
export function mergeTokens<T extends Omit<StoredLogin, keyof AccessToken>>(
  stored: T,
  answer: TokenAnswer,
  now: number,
): T & AccessToken {
  const { refresh_token_expires_in: loginSeconds } = answer;
  return {
    ...stored,
    ...accessTokenOf(answer, now),
    refresh_token: answer.refresh_token ?? stored.refresh_token,
    scopes: answer.scope == null ? stored.scopes : scopesOf(answer),
    ...(loginSeconds != null && { login_expires_at: new Date(now + loginSeconds * 1000).toISOString() }),
  };
}

export function accessTokenOf(answer: TokenAnswer, now: number): AccessToken {
  const end = answer.expiry_date ?? now + USUAL_LIFE_MS;
  return { access_token: answer.access_token, expires_at: new Date(end).toISOString() };
}

export const scopesOf = ({ scope }: TokenAnswer): string[] => (scope ?? '').split(' ').filter(Boolean);

/** Returns true if a stored token can be used. `refused` is the token that the service has just refused. */
export function isUsable(token: AccessToken, refused: string | undefined, now: number): boolean {
  return token.access_token !== refused && Date.parse(token.expires_at) - now > SPARE_MS;
}
