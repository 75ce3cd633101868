import type { FastifyRequest } from 'fastify';
import { BatchgateError } from '../../contract/errors';
import type { Api } from '../context';

/** The fields of a form as a browser sends them. */
export type Fields = URLSearchParams;

/** Without JavaScript, forms send no JSON. Only pages accept forms. */
export function takeForms(pages: Api): void {
  pages.removeAllContentTypeParsers();
  pages.addContentTypeParser('application/x-www-form-urlencoded', { parseAs: 'string' }, (_, body, done) =>
    done(null, new URLSearchParams(body as string)),
  );
}

export const fieldsOf = ({ body }: FastifyRequest): Fields =>
  body instanceof URLSearchParams ? body : new URLSearchParams();

/** What the address of a page asks for. */
export const queryOf = ({ url }: FastifyRequest): Fields => new URLSearchParams(url.split('?')[1]);

/**
 * The value of a field; undefined if it is empty or missing.
 * @throws BatchgateError `INVALID_INPUT` for characters that no database stores.
 */
export function text(fields: Fields, name: string): string | undefined {
  const value = fields.get(name)?.replace(/\r\n/g, '\n').trim();
  if (value?.includes('\0'))
    throw new BatchgateError('INVALID_INPUT', `The field ${name} holds a NUL character.`, 'Remove it.');
  return value === undefined || value === '' ? undefined : value;
}

/** @throws BatchgateError `INVALID_INPUT` if the field is empty or missing. */
export function required(fields: Fields, name: string, what = `The field ${name}`): string {
  const value = text(fields, name);
  if (value !== undefined) return value;
  throw new BatchgateError('INVALID_INPUT', `${what} is missing.`, 'Fill it in and send the form again.');
}

export function whole(fields: Fields, name: string): number | undefined {
  const value = text(fields, name);
  return value !== undefined && /^\d{1,15}$/.test(value) ? Number(value) : undefined;
}

/** Several fields of one name, as positions in a list. */
export const places = (fields: Fields, name: string): number[] =>
  fields.getAll(name).flatMap((value) => (/^\d{1,4}$/.test(value) ? [Number(value)] : []));
