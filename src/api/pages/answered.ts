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

/** What the page says that follows a form: why it was refused, or what it was sent to look at. */
export interface Answered extends Typed, Filled {
  status: number;
  error?: ErrorBody;
  /** The reply of the open question to a message. */
  reply?: string;
  list?: ItemList;
  preview?: BulkPreview;
}

/** Where a form is answered: the path of the page that says so, and whom it says it to. */
export interface Place {
  own: string;
  reader: string;
}

/** Only whoever sent the form has it, by its cookie. */
const SECRET = 'form_token';

const keyOf = (id: string) => `answer ${id}`;

/** Answers a form by a page of its own address, so that to load that page again sends nothing. */
export async function answer(
  { access }: Pick<ApiContext, 'access'>,
  request: FastifyRequest,
  reply: FastifyReply,
  { own, reader, status, fields = fieldsOf(request), mistakes = [], ...more }: Place & Said,
): Promise<never> {
  const id = randomUUID();
  const verb = request.routeOptions.url?.split('/').at(-1) ?? '';
  const entries = [...fields].filter(([name]) => name !== SECRET);
  await access.rememberRequest(reader, keyOf(id), { digest: 'answer', reference: id });
  // As text: no database stores a NUL character, which may have been sent.
  await access.rememberAnswer(
    reader,
    keyOf(id),
    JSON.stringify({ ...more, status, verb, mistakes, fields: entries }),
  );
  return reply.redirect(`${own}?answer=${id}`, 303) as never;
}

type Said = Omit<Partial<Answered>, 'verb'> & { status: number };

/**
 * Answers a form with why it was refused. A program gets the problem itself.
 * @throws what is not about the form, or the page that it was on.
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

/** What the address of a page says of a form, if this reader sent it. The page has the status of that answer. */
export async function answered(
  { access }: Pick<ApiContext, 'access'>,
  request: FastifyRequest,
  reply: FastifyReply,
  reader: string,
): Promise<Answered | undefined> {
  const id = text(queryOf(request), 'answer');
  const kept = id === undefined ? undefined : await access.recallAnswer(reader, keyOf(id));
  if (typeof kept !== 'string') return undefined;
  const said = JSON.parse(kept) as Omit<Answered, 'fields'> & { fields: [string, string][] };
  void reply.code(said.status);
  return { ...said, fields: new URLSearchParams(said.fields) };
}
