import type { z } from 'zod';
import type { policiesSchema } from '../../src/core/policy/rules';
import { countingTool, startHarness } from './harness';
import { startHttpApi } from './http-api';
import { startIdentityProvider, type Browser } from './identity-provider';

export const CLIENT = 'batchgate';

interface Me {
  name: string;
  form_token: string;
}

/** The HTTP API, with a real identity provider at which people sign in. */
export async function startOpenIdStage(
  policies: z.input<typeof policiesSchema> = [],
  { adapter } = countingTool(10),
) {
  const provider = await startIdentityProvider();
  const harness = await startHarness({ adapters: [adapter], policies });
  const http = await startHttpApi(harness, {
    openId: {
      issuer: provider.issuer,
      client_id: CLIENT,
      clientSecret: () => Promise.resolve('the secret of the client'),
      scope: 'openid profile email groups',
      name_claim: 'name',
      session_hours: 1,
      audience: 'https://batchgate.example',
      clients: ['mobile-app', 'other-app'],
      roles: [
        { role: 'admin', claim: 'groups', value: 'bulk-admins' },
        { role: 'approver', claim: 'email', value: 'bob@example.com' },
        { role: 'viewer', claim: 'groups', value: 'staff' },
      ],
    },
  });
  await provider.configure({
    clients: [
      {
        client_id: CLIENT,
        client_secret: 'the secret of the client',
        token_endpoint_auth_method: 'client_secret_post',
        redirect_uris: [`${http.url}/sign-in/oidc/callback`],
        post_logout_redirect_uris: [`${http.url}/`],
      },
    ],
    people: {
      ada: { name: 'Ada Lovelace', groups: ['staff', 'bulk-admins'] },
      vic: { groups: ['staff'] },
      eve: { email: 'bob@example.com', email_verified: false },
    },
  });
  const callback = () => `${http.url}/sign-in/oidc/callback`;
  /** Signs in at the provider, and returns the address to which it redirects the browser. */
  const comeBack = (browser: Browser, login: string, start = '/sign-in/oidc') =>
    browser.signIn(`${http.url}${start}`, login, callback());
  const me = async (browser: Browser): Promise<Me> =>
    (await (await browser.open(`${http.url}/v1/me`)).json()) as Me;
  /** Sends a change the way our pages do. */
  const post = async (browser: Browser, path: string, body: object = {}) =>
    browser.open(`${http.url}${path}`, {
      method: 'POST',
      headers: {
        'content-type': 'application/json',
        origin: http.url,
        'x-batchgate-form-token': (await me(browser)).form_token,
      },
      body: JSON.stringify(body),
    });
  const close = async () => {
    await http.close();
    await harness.close();
    provider.close();
  };
  return { provider, harness, http, callback, comeBack, me, post, close };
}
export type OpenIdStage = Awaited<ReturnType<typeof startOpenIdStage>>;
