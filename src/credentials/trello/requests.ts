import { z } from 'zod';
import { BatchgateError } from '../../contract/errors';
import { trelloAuthorization, type TrelloCredentials } from './protocol';

const REQUEST_MS = 10_000;
const memberSchema = z.object({ username: z.string().min(1) });

/**
 * The member whom key and token stand for.
 * @throws BatchgateError `CREDENTIALS_INVALID` when Trello refuses them, `ADAPTER_UNAVAILABLE` when it gives no answer.
 */
export async function whoAmI(baseUrl: string, credentials: TrelloCredentials): Promise<{ username: string }> {
  const answer = await ask('GET', `${baseUrl}/1/members/me?fields=username`, credentials);
  if (isRefusal(answer)) {
    throw new BatchgateError(
      'CREDENTIALS_INVALID',
      `Trello does not accept this key and token (it answered ${answer.status}); nothing was stored.`,
      'Run `batchgate login trello` again, and copy the token whole from the page that belongs to this key.',
    );
  }
  const member = memberSchema.safeParse(answer.status === 200 ? answer.body : undefined);
  if (member.success) return member.data;
  throw unavailable(`Trello answered ${answer.status}, and not who you are; nothing was stored.`);
}

/** Ends a token at Trello's. One that is over already counts as ended. */
export async function revokeToken(baseUrl: string, credentials: TrelloCredentials): Promise<void> {
  // The one request that has to name the token in its address.
  const { token } = credentials;
  const answer = await ask('DELETE', `${baseUrl}/1/tokens/${encodeURIComponent(token)}/`, credentials);
  if (answer.status === 200 || answer.status === 404 || isRefusal(answer)) return;
  throw unavailable(`Trello answered ${answer.status} and did not revoke the token; the login is kept.`);
}

interface Answer {
  status: number;
  body: unknown;
}

/** Trello says 400 of a key or token that cannot be one, and 401 of others. */
const isRefusal = ({ status }: Answer): boolean => status === 400 || status === 401;

async function ask(method: string, url: string, credentials: TrelloCredentials): Promise<Answer> {
  let text: string;
  let status: number;
  try {
    const answer = await fetch(url, {
      method,
      headers: { authorization: trelloAuthorization(credentials), accept: 'application/json' },
      redirect: 'manual',
      signal: AbortSignal.timeout(REQUEST_MS),
    });
    status = answer.status;
    text = await answer.text();
  } catch {
    // What the network threw may hold the address.
    throw unavailable('Trello could not be reached.');
  }
  try {
    return { status, body: JSON.parse(text) as unknown };
  } catch {
    return { status, body: undefined };
  }
}

const unavailable = (message: string) =>
  new BatchgateError(
    'ADAPTER_UNAVAILABLE',
    message,
    'Check the connection and BATCHGATE_TRELLO_BASE_URL, and try again in a minute.',
  );
