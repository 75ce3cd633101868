import type { Role } from '../../src/contract/access';
import type { HttpApi } from './http-api';

/** Uses a sign-in link like the button of its page. The answer sets the cookie. */
export function useLink(link: string): Promise<Response> {
  const { origin, searchParams } = new URL(link);
  const body = new URLSearchParams({ token: searchParams.get('token') ?? '' });
  return fetch(`${origin}/sign-in`, { method: 'POST', redirect: 'manual', body });
}

/** The page of an answer, and the target of its redirect. */
interface Visit {
  status: number;
  page: string;
  location: string;
}

/** A signed-in person with a browser without scripts. */
export interface Visitor {
  visit(path: string): Promise<Visit>;
  /** Sends a form in a browser's encoding, with or without a file. Follows the redirect to its result page, if any. */
  send(path: string, fields: Record<string, string>, file?: File): Promise<Visit>;
}

export async function visitorOf({ api, url }: HttpApi, role: Role = 'operator'): Promise<Visitor> {
  const signedIn = await useLink(await api.signInLink({ name: 'Ada', role }));
  const cookie = signedIn.headers.get('set-cookie')?.split(';')[0] ?? '';
  const headers = { cookie, accept: 'text/html' };
  const me = (await (await fetch(`${url}/v1/me`, { headers: { cookie } })).json()) as { form_token: string };
  const visitOf = async (answer: Response): Promise<Visit> => ({
    status: answer.status,
    page: await answer.text(),
    location: answer.headers.get('location') ?? '',
  });
  const visit = async (path: string) =>
    visitOf(await fetch(`${url}${path}`, { headers, redirect: 'manual' }));
  return {
    visit,
    async send(path, fields, file) {
      const all = { form_token: me.form_token, ...fields };
      const body = file ? new FormData() : new URLSearchParams();
      for (const [name, value] of Object.entries(all)) body.append(name, value);
      if (file && body instanceof FormData) body.append('items_file', file, file.name);
      const request = {
        method: 'POST',
        headers: { ...headers, origin: url },
        redirect: 'manual',
        body,
      } as const;
      const answer = await visitOf(await fetch(`${url}${path}`, request));
      return answer.location.includes('?answer=') ? visit(answer.location) : answer;
    },
  };
}
