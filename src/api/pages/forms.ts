import type { FastifyRequest } from 'fastify';
import { BatchgateError } from '../../contract/errors';
import type { Api } from '../context';

/** The fields of a form as a browser sends them. */
export type Fields = URLSearchParams;

/** A file that a person chose. */
interface Upload {
  name: string;
  bytes: Buffer;
}

/** The fields of a form with files. */
class FieldsWithFiles extends URLSearchParams {
  readonly files = new Map<string, Upload>();
}

/** Lets pages, and only pages, accept forms: without JavaScript, forms send no JSON. */
export function takeForms(pages: Api): void {
  pages.removeAllContentTypeParsers();
  pages.addContentTypeParser('application/x-www-form-urlencoded', { parseAs: 'string' }, (_, body, done) =>
    done(null, new URLSearchParams(body as string)),
  );
}

/** The list of one operation is far smaller. */
const MAX_UPLOAD_BYTES = 10_000_000;

/** Accepts forms with files. */
export function takeUploads(pages: Api): void {
  pages.addContentTypeParser(
    'multipart/form-data',
    { parseAs: 'buffer', bodyLimit: MAX_UPLOAD_BYTES },
    async ({ headers }: FastifyRequest, body: Buffer) => {
      const fields = new FieldsWithFiles();
      for (const [name, value] of await partsOf(headers['content-type'] ?? '', body)) {
        if (typeof value === 'string') fields.append(name, value);
        else if (value.name !== '' || value.size > 0)
          fields.files.set(name, { name: value.name, bytes: Buffer.from(await value.arrayBuffer()) });
      }
      return fields;
    },
  );
}

async function partsOf(type: string, body: Buffer) {
  try {
    return await new Response(new Uint8Array(body), { headers: { 'content-type': type } }).formData();
  } catch {
    throw new BatchgateError('INVALID_INPUT', 'The form did not arrive whole.', 'Send it again.');
  }
}

/** The file of a field, if one was chosen. */
export const uploadOf = ({ body }: FastifyRequest, name: string): Upload | undefined =>
  body instanceof FieldsWithFiles ? body.files.get(name) : undefined;

export const fieldsOf = ({ body }: FastifyRequest): Fields =>
  body instanceof URLSearchParams ? body : new URLSearchParams();

/** The query of a page's address. */
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

/** @throws BatchgateError `INVALID_INPUT` if the value is not a whole number. */
export function whole(fields: Fields, name: string): number | undefined {
  const value = text(fields, name);
  if (value === undefined) return undefined;
  if (/^\d{1,15}$/.test(value)) return Number(value);
  throw new BatchgateError(
    'INVALID_INPUT',
    `The field ${name.replaceAll('_', ' ')} is not a whole number.`,
    'Write it with the digits 0 to 9.',
  );
}

/** @throws BatchgateError `INVALID_INPUT` if the field is empty, missing or no whole number. */
export function requiredWhole(fields: Fields, name: string, what: string): number {
  required(fields, name, what);
  return whole(fields, name) ?? 0;
}

/** The question that a form answers, or that was beside it on the page, and the stamp of its delivery. */
export function questionIn(fields: Fields): { digest: string | undefined; stamp: string } {
  const [, digest, stamp] = /^([0-9a-f]{64})\.(.+)$/.exec(fields.get('question') ?? '') ?? [];
  return { digest: text(fields, 'digest') ?? digest, stamp: fields.get('shown_at') ?? stamp ?? '' };
}

/** The values of all fields of one name, as positions in a list. */
export const places = (fields: Fields, name: string): number[] =>
  fields.getAll(name).flatMap((value) => (/^\d{1,4}$/.test(value) ? [Number(value)] : []));
