import { z } from 'zod';

/** An access token is not begun with when it ends this soon. */
const SPARE_MS = 60_000;
/** Where Google does not say how long an access token lives. */
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

/** What the token endpoint answers, after the client library made a date of `expires_in`. */
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

/** What `login google` keeps. */
export const storedLoginSchema = accessTokenSchema.extend({
  client_id: z.string().min(1),
  client_secret: z.string().min(1).optional(),
  refresh_token: z.string().min(1),
  scopes: z.array(z.string()),
  /** When Google ends the login itself: a week for apps in testing, else unsaid. */
  login_expires_at: z.iso.datetime().optional(),
});
export type StoredLogin = z.infer<typeof storedLoginSchema>;

/** Google's answer over what is kept: it sends the refresh token once, and scopes only where it likes. */
export function mergeTokens<T extends Omit<StoredLogin, keyof AccessToken>>(
  kept: T,
  answer: TokenAnswer,
  now: number,
): T & AccessToken {
  const { refresh_token_expires_in: loginSeconds } = answer;
  return {
    ...kept,
    ...accessTokenOf(answer, now),
    refresh_token: answer.refresh_token ?? kept.refresh_token,
    scopes: answer.scope == null ? kept.scopes : scopesOf(answer),
    ...(loginSeconds != null && { login_expires_at: new Date(now + loginSeconds * 1000).toISOString() }),
  };
}

export function accessTokenOf(answer: TokenAnswer, now: number): AccessToken {
  const end = answer.expiry_date ?? now + USUAL_LIFE_MS;
  return { access_token: answer.access_token, expires_at: new Date(end).toISOString() };
}

export const scopesOf = ({ scope }: TokenAnswer): string[] => (scope ?? '').split(' ').filter(Boolean);

/** Whether a kept token will do, where the tool has just refused the token `refused`. */
export function isUsable(token: AccessToken, refused: string | undefined, now: number): boolean {
  return token.access_token !== refused && Date.parse(token.expires_at) - now > SPARE_MS;
}
