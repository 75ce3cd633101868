import { z } from 'zod';
import type { AdapterAction } from '../../../src/contract/adapter';
import type { PreparedBulkContext } from '../../../src/contract/items';
import { carriesSecret } from '../../../src/core/shared/plain-secrets';
import { mistakesOf } from '../../../src/core/shared/template';
import { notPrepared } from '../shared/actions';

/** RFC 9110, section 5.6.2. */
const TOKEN = /^[!#$%&'*+.^_`|~0-9A-Za-z-]{1,100}$/;
/** Headers of the connection or of the message's framing, or set by us: RFC 9110, sections 7.2 and 7.6.1. */
const NOT_YOURS =
  /^(?:host|content-length|transfer-encoding|connection|keep-alive|te|trailer|upgrade|expect|proxy-.*)$/i;

export const headerName = z
  .string()
  .regex(TOKEN, 'is not a valid header name')
  .refine((name) => !NOT_YOURS.test(name), 'is a header that the connection sets itself');
const headerText = z
  .string()
  .max(2_000)
  // RFC 9110, section 5.5, without bytes of unspecified encoding.
  .regex(/^[\t\x20-\x7e]*$/, 'may hold printable ASCII only')
  .refine((text) => !text.includes('{{'), 'is sent unchanged; use placeholders in url and body');
const secretHeader = z.strictObject({
  secret: z.string().min(1).max(150).describe('A secret of batchgate.config.json, by its name'),
  prefix: z
    .string()
    .max(50)
    .regex(/^[\x20-\x7e]*$/)
    .optional()
    .describe('Text before the secret, for example "Bearer "'),
});
export const headersSchema = z
  .record(headerName, z.union([secretHeader, headerText]))
  .refine((headers) => distinct(Object.keys(headers)), 'names a header twice')
  .refine(
    (headers) =>
      Object.entries(headers).every(([name, value]) => typeof value !== 'string' || !carriesSecret(name)),
    'contains a secret in plain text; name it instead: { "secret": NAME }, with "prefix" if needed',
  );

export const statusSchema = z.union([
  z.number().int().min(100).max(599),
  z.string().regex(/^[1-5]\d\d-[1-5]\d\d$/, 'is not a range of statuses such as "200-299"'),
]);

/** Any JSON value, without recursion, which the JSON Schemas of two halves cannot share. */
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
    error: ({ input }) => mistakesOf(input)[0] ?? 'is not a valid template',
  });

export const METHODS = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE'] as const;

const request = z.strictObject({
  method: z.enum(METHODS).describe('The method of each request'),
  url: z
    .string()
    .min(1)
    .max(2_000)
    .describe(
      'The address of each request; {{id}}, {{display_name}} and {{.column}} in its path and query are replaced by ' +
        'values of the item',
    ),
  headers: headersSchema.optional().describe('Headers by name: a text, or a secret by its name'),
  body: bodySchema
    .optional()
    .describe(
      'Sent as JSON, with placeholders in its texts; a plain text is sent as text, with placeholders',
    ),
  success_status: z
    .array(statusSchema)
    .min(1)
    .max(50)
    .optional()
    .describe('Statuses and ranges that mean success; default "200-299"'),
});
type OneRequest = z.infer<typeof request>;

const hasNoUnfitBody = ({ method, body }: OneRequest) => body === undefined || !isSafe(method);
const UNFIT_BODY = 'a GET or HEAD has no body';

const requestChange = request
  .extend({
    undo: request
      .refine(hasNoUnfitBody, UNFIT_BODY)
      .optional()
      .describe('The request that takes one back, with the same placeholders; without it there is no undo'),
    idempotency_header: headerName
      .optional()
      .describe(
        'A header that carries the ids of the operation and the item, so that the server can ignore repetitions',
      ),
  })
  .refine(hasNoUnfitBody, UNFIT_BODY)
  .refine(
    ({ headers, undo, idempotency_header: own }) =>
      [headers, undo?.headers].every((some = {}) => distinct([...Object.keys(some), ...(own ? [own] : [])])),
    'idempotency_header is already among the headers',
  );

export const HTTP_ACTIONS = {
  request: {
    description: 'Send one request for each item',
    phrase: 'send a request for {items}',
    query: z.strictObject({}),
    change: requestChange,
    undo: true,
  },
} as const satisfies Record<string, AdapterAction>;

export type RequestChange = z.infer<typeof requestChange>;

/** GET and HEAD change nothing (RFC 9110, section 9.2.1). */
export const isSafe = (method: string): boolean => method === 'GET' || method === 'HEAD';

/**
 * The request of a prepared context; for an undo, the request that undoes it.
 * @throws BatchgateError `INVALID_INPUT` when this adapter did not prepare it.
 */
export function requestOf(context: PreparedBulkContext): RequestChange {
  const { success, data } = requestChange.safeParse(context.action_params);
  if (!success || context.action !== 'request') throw notPrepared('http', 'its request is incomplete');
  if (!context.undo) return data;
  const { undo, idempotency_header } = data;
  if (undo) return { ...undo, ...(idempotency_header !== undefined && { idempotency_header }) };
  throw notPrepared('http', 'no request takes it back');
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
