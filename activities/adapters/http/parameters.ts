import { z } from 'zod';
import type { AdapterAction } from '../../../src/contract/adapter';
import type { PreparedBulkContext } from '../../../src/contract/items';
import { carriesSecret } from '../../../src/core/secret-names';
import { mistakesOf } from '../../../src/core/template';
import { notPrepared } from '../../../src/provider/actions';

/** RFC 9110, section 5.6.2. */
const TOKEN = /^[!#$%&'*+.^_`|~0-9A-Za-z-]{1,100}$/;
/** Of the connection, of the message's frame, or set by us: RFC 9110, sections 7.2 and 7.6.1. */
const NOT_YOURS =
  /^(?:host|content-length|transfer-encoding|connection|keep-alive|te|trailer|upgrade|expect|proxy-.*)$/i;

export const headerName = z
  .string()
  .regex(TOKEN, 'is no name of a header')
  .refine((name) => !NOT_YOURS.test(name), 'is a header that the connection itself sets');
const headerText = z
  .string()
  .max(2_000)
  // RFC 9110, section 5.5, without the bytes whose meaning nobody agrees on.
  .regex(/^[\t\x20-\x7e]*$/, 'may hold printable ASCII only')
  .refine((text) => !text.includes('{{'), 'is sent as it is; placeholders belong into url and body');
const secretHeader = z.strictObject({
  secret: z.string().min(1).max(150).describe('A secret of batchgate.config.json, by its name'),
  prefix: z
    .string()
    .max(50)
    .regex(/^[\x20-\x7e]*$/)
    .optional()
    .describe('What comes before it, as "Bearer "'),
});
export const headersSchema = z
  .record(headerName, z.union([secretHeader, headerText]))
  .refine((headers) => distinct(Object.keys(headers)), 'names a header twice')
  .refine(
    (headers) =>
      Object.entries(headers).every(([name, value]) => typeof value !== 'string' || !carriesSecret(name)),
    'holds a secret in the open; name it: { "secret": NAME }, with "prefix" where one belongs before it',
  );

export const statusSchema = z.union([
  z.number().int().min(100).max(599),
  z.string().regex(/^[1-5]\d\d-[1-5]\d\d$/, 'is no range of statuses, as "200-299"'),
]);

/** Any JSON value, said without recursion, which JSON Schemas of several halves cannot share. */
const bodySchema = z
  .union([
    z.string(),
    z.number(),
    z.boolean(),
    z.null(),
    z.array(z.unknown()),
    z.record(z.string(), z.unknown()),
  ])
  .refine((body) => mistakesOf(body).length === 0, {
    error: ({ input }) => mistakesOf(input)[0] ?? 'is no template',
  });

export const METHODS = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE'] as const;

const requestChange = z
  .strictObject({
    method: z.enum(METHODS).describe('The method of each request'),
    url: z
      .string()
      .min(1)
      .max(2_000)
      .describe(
        'The address of each request; {{id}}, {{display_name}} and {{.column}} stand for what the item holds, in its ' +
          'path and query',
      ),
    headers: headersSchema.optional().describe('Headers by name: a text, or a secret by its name'),
    body: bodySchema
      .optional()
      .describe('Sent as JSON, with placeholders in its texts; a text alone is sent as it is, filled in'),
    success_status: z
      .array(statusSchema)
      .min(1)
      .max(50)
      .optional()
      .describe('Statuses and ranges that mean success; default "200-299"'),
    idempotency_header: headerName
      .optional()
      .describe('A header that carries the operation and the item, so that the server does nothing twice'),
  })
  .refine(({ method, body }) => body === undefined || !isSafe(method), 'a GET or HEAD has no body')
  .refine(
    ({ headers = {}, idempotency_header: own }) => distinct([...Object.keys(headers), ...(own ? [own] : [])]),
    'idempotency_header is among the headers already',
  );

export const HTTP_ACTIONS = {
  request: {
    description: 'Send one request for each item',
    phrase: 'send a request for {items}',
    query: z.strictObject({}),
    change: requestChange,
  },
} as const satisfies Record<string, AdapterAction>;

export type RequestChange = z.infer<typeof requestChange>;

/** GET and HEAD ask for nothing to be changed (RFC 9110, section 9.2.1). */
export const isSafe = (method: string): boolean => method === 'GET' || method === 'HEAD';

/** The change of a prepared context. @throws BatchgateError `INVALID_INPUT` when this adapter did not prepare it. */
export function requestOf(context: PreparedBulkContext): RequestChange {
  const params = requestChange.safeParse(context.action_params);
  if (params.success && context.action === 'request') return params.data;
  throw notPrepared('http', 'its request is incomplete');
}

export function isSuccess(
  { success_status = ['200-299'] }: Pick<RequestChange, 'success_status'>,
  status: number,
): boolean {
  return success_status.some((wanted) => {
    if (typeof wanted === 'number') return wanted === status;
    const [from = 0, to = 0] = wanted.split('-').map(Number);
    return from <= status && status <= to;
  });
}

function distinct(names: readonly string[]): boolean {
  return new Set(names.map((name) => name.toLowerCase())).size === names.length;
}
