import { randomUUID } from 'node:crypto';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { ErrorBody } from '../../contract/errors';
import type { BulkPreview } from '../../contract/preview';
import type { ItemList } from '../../host/items/item-list';
import type { ApiContext } from '../context';
import { problemOf } from '../problems';
import type { Filled } from './fields';
import { fieldsOf, queryOf, text } from './forms';
import { wantsPage } from './send';
import type { Typed } from './typed';

/** The result of a form, which the next page shows: an error, a reply, a list or a preview. */
export interface Answered extends Typed, Filled {
  status: number;
  error?: ErrorBody;
  /** The reply of the open question to a message. */
  reply?: string;
  list?: ItemList;
  preview?: BulkPreview;
}

/** The path of the page that shows the result of a form, and the person who sent the form. */
export interface Place {
  own: string;
  reader: string;
}

/** A field that is not stored: only the sender's session has its value. */
const SECRET = 'form_token';

const keyOf = (id: string) => `answer ${id}`;

/** Redirects to a page with the result of a form, so that a reload of that page sends nothing. */
export async function answer(
  { access }: Pick<ApiContext, 'access'>,
  request: FastifyRequest,
  reply: FastifyReply,
  { own, reader, status, fields = fieldsOf(request), mistakes = [], ...more }: Place & Result,
): Promise<never> {
  const id = randomUUID();
  const verb = request.routeOptions.url?.split('/').at(-1) ?? '';
  const entries = [...fields].filter(([name]) => name !== SECRET);
  await access.rememberRequest(reader, keyOf(id), { digest: 'answer', reference: id });
  // Store JSON text, which escapes a NUL character: no database stores one.
  await access.rememberAnswer(
    reader,
    keyOf(id),
    JSON.stringify({ ...more, status, verb, mistakes, fields: entries }),
  );
  return reply.redirect(`${own}?answer=${id}`, 303) as never;
}

type Result = Omit<Partial<Answered>, 'verb'> & { status: number };

/**
 * Redirects to a page with the reason why a form was refused. A program gets the problem itself.
 * @throws the error itself if it is not about the form: a failure of the server, or a page that does not exist.
 */
export function refuse(
  context: Pick<ApiContext, 'access'>,
  request: FastifyRequest,
  reply: FastifyReply,
  place: Place & Partial<Filled>,
  error: unknown,
): Promise<never> {
  const { status, problem } = problemOf(error);
  if (status >= 500 || status === 404 || !wantsPage(request)) throw error;
  return answer(context, request, reply, { ...place, status, error: problem.body });
}

/** The result in a page's address, if this reader sent its form. Sets the status of the reply to that of the result. */
export async function answered(
  { access }: Pick<ApiContext, 'access'>,
  request: FastifyRequest,
  reply: FastifyReply,
  reader: string,
): Promise<Answered | undefined> {
  const id = text(queryOf(request), 'answer');
  const stored = id === undefined ? undefined : await access.recallAnswer(reader, keyOf(id));
  if (typeof stored !== 'string') return undefined;
  const result = JSON.parse(stored) as Omit<Answered, 'fields'> & { fields: [string, string][] };
  void reply.code(result.status);
  return { ...result, fields: new URLSearchParams(result.fields) };
}
