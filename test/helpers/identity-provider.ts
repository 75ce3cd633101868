import { fork } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { withLockedPrograms } from './npm-programs';

export interface Settings {
  clients: object[];
  /** The provider's claims about a person, by login. */
  people: Record<string, object>;
}

/** A real OpenID Connect provider; call `configure` once the addresses of its clients are known. */
export async function startIdentityProvider() {
  const provider = join(await withLockedPrograms('identity'), 'oidc-provider/lib/index.js');
  const program = join(__dirname, 'identity-provider-process.mjs');
  const child = fork(program, [provider], { execArgv: [], silent: true });
  const answer = async () => ((await once(child, 'message')) as [string])[0];
  const issuer = await answer();
  const ask = (request: object) => {
    child.send(request);
    return answer();
  };
  return {
    issuer,
    configure: (settings: Settings) => ask({ settings }),
    /** A token with these claims, signed by the provider or by another key. */
    token: (claims: object, by = 'the provider') =>
      ask({ token: { iss: issuer, iat: Date.now() / 1_000, exp: Date.now() / 1_000 + 60, ...claims }, by }),
    close: () => child.kill(),
  };
}

/** The parts of a browser that sign-in needs: cookies of each address, redirects, and forms. */
export class Browser {
  private readonly cookies = new Map<string, Map<string, string>>();

  /** Opens an address without following redirects. */
  async open(url: string, init: RequestInit = {}): Promise<Response> {
    const { origin } = new URL(url);
    const jar = this.cookies.get(origin) ?? new Map<string, string>();
    this.cookies.set(origin, jar);
    const cookie = [...jar].map(([name, value]) => `${name}=${value}`).join('; ');
    const headers = { ...(init.headers as Record<string, string>), ...(cookie && { cookie }) };
    const response = await fetch(url, { ...init, headers, redirect: 'manual' });
    for (const line of response.headers.getSetCookie()) {
      const [, name = '', value = ''] = /^([^=]+)=([^;]*)/.exec(line) ?? [];
      if (value === '' || /max-age=0|expires=thu, 01 jan 1970/i.test(line)) jar.delete(name);
      else jar.set(name, value);
    }
    return response;
  }

  /** Follows redirects to the first page, or up to an address with this beginning, which it does not open. */
  async follow(url: string, until?: string, init?: RequestInit): Promise<{ url: string; page: string }> {
    if (until !== undefined && url.startsWith(until)) return { url, page: '' };
    const response = await this.open(url, init);
    const location = response.headers.get('location');
    if (location !== null) return this.follow(new URL(location, url).href, until);
    return { url, page: await response.text() };
  }

  /** Signs in at the provider, up to the address to which it redirects the browser. */
  async signIn(start: string, login: string, until: string): Promise<string> {
    let at = await this.follow(start, until);
    while (!at.url.startsWith(until)) {
      const action = /<form[^>]* action="([^"]+)"/.exec(at.page)?.[1];
      const prompt = /name="prompt" value="(\w+)"/.exec(at.page)?.[1];
      if (action === undefined || prompt === undefined)
        throw new Error(`no form: ${at.page.slice(0, 2_000)}`);
      const body = new URLSearchParams({ prompt, login, password: 'any' });
      at = await this.follow(new URL(action, at.url).href, until, { method: 'POST', body });
    }
    return at.url;
  }
}
