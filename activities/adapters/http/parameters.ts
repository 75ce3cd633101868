import { z } from 'zod';
import type { AdapterAction } from '../../../src/contract/adapter';
import type { PreparedBulkContext } from '../../../src/contract/items';
import { checkCondition, checkExpression } from '../../../src/core/macro/condition';
import { carriesSecret } from '../../../src/core/shared/plain-secrets';
import { mistakesOf, placeholdersIn } from '../../../src/core/shared/template';
import { notPrepared } from '../shared/actions';

/** RFC 9110, section 5.6.2. */
const TOKEN = /^[!#$%&'*+.^_`|~0-9A-Za-z-]{1,100}$/;
/** Headers of the connection or of the message's framing, or that this adapter sets: RFC 9110, sections 7.2, 7.6.1. */
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

/** Any JSON value. Not recursive, because the JSON Schemas of two halves cannot share a recursive schema. */
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

const MAX_EXPRESSION_LENGTH = 2_000;
const MAX_FIELDS = 20;
const ANSWER_VARIABLES = ['status', 'body'];
const STATE_VARIABLES = ['body'];
const wrongCel = (wrong: ReturnType<typeof checkExpression>, variables: readonly string[]) =>
  wrong && `${wrong.message} (it reads ${variables.join(' and ')})`;
const condition = z
  .string()
  .min(1)
  .max(MAX_EXPRESSION_LENGTH)
  .refine((text) => checkCondition(text, ANSWER_VARIABLES) === undefined, {
    error: ({ input }) => wrongCel(checkCondition(input as string, ANSWER_VARIABLES), ANSWER_VARIABLES),
  });
const expression = z
  .string()
  .min(1)
  .max(MAX_EXPRESSION_LENGTH)
  .refine((text) => checkExpression(text, STATE_VARIABLES) === undefined, {
    error: ({ input }) => wrongCel(checkExpression(input as string, STATE_VARIABLES), STATE_VARIABLES),
  });

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
    .describe('Statuses and ranges that mean success; default 200 to 299 without 207'),
  success_when: condition
    .optional()
    .describe(
      'CEL over status and body that is true for a success, such as "body.ok == true". The status must be one of ' +
        'success_status, too, unless that is absent and the condition reads status',
    ),
});
export type Declared = z.infer<typeof request>;

const readSchema = z.strictObject({
  url: request.shape.url.describe('The address that shows the item, with placeholders; it is read by GET'),
  select: z
    .union([
      expression,
      z
        .record(z.string().min(1).max(100), expression)
        .refine((fields) => Object.keys(fields).length > 0, 'names no field')
        .refine((fields) => Object.keys(fields).length <= MAX_FIELDS, `has over ${MAX_FIELDS} fields`),
    ])
    .describe(
      'The state of the item: CEL over the JSON body, such as "body.status", or an object with such an expression for ' +
        'each field',
    ),
  headers: headersSchema.optional().describe('Default: those of the request, for the same server'),
});

const hasNoUnfitBody = ({ method, body }: Declared) => body === undefined || !isSafe(method);
const UNFIT_BODY = 'a GET or HEAD has no body';

const SOURCES_ELSEWHERE = '{{response.…}} and {{before.…}} are for `undo` only';
const sourcesIn = ({ url, body }: { url: string; body?: unknown }) =>
  placeholdersIn([url, body]).filter(({ source }) => source !== undefined);

const requestChange = request
  .extend({
    read: readSchema
      .refine((declared) => sourcesIn(declared).length === 0, SOURCES_ELSEWHERE)
      .optional()
      .describe('How an item is read: it gives previews, drift, a check of each change, and undo'),
    undo: request
      .refine(hasNoUnfitBody, UNFIT_BODY)
      .refine(
        (declared) =>
          !sourcesIn(declared).some(
            ({ source, name }) => source === 'response' && name.split('.').some(carriesSecret),
          ),
        'needs a secret of the answer, and secrets are not kept',
      )
      .optional()
      .describe(
        'The request that takes one back, with the same placeholders, {{response.name}} for a member of the answer to ' +
          'the change and, with read, {{before.field}} for the state before it',
      ),
    idempotency_header: headerName
      .optional()
      .describe(
        'A header that carries the ids of the operation and the item, so that the server can ignore repetitions',
      ),
  })
  .refine(hasNoUnfitBody, UNFIT_BODY)
  .refine((declared) => sourcesIn(declared).length === 0, SOURCES_ELSEWHERE)
  .refine(
    ({ method, read }) => read === undefined || !isSafe(method),
    'a GET or HEAD changes nothing to read back',
  )
  .refine(
    ({ read, undo }) =>
      read !== undefined || undo === undefined || sourcesIn(undo).every(({ source }) => source !== 'before'),
    '{{before.…}} needs `read`',
  )
  .refine(
    ({ headers, undo, idempotency_header: keyHeader }) =>
      [headers, undo?.headers].every((fields = {}) =>
        distinct([...Object.keys(fields), ...(keyHeader ? [keyHeader] : [])]),
      ),
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
 * Returns the parameters of a prepared context.
 * @throws BatchgateError `INVALID_INPUT` when this adapter did not prepare it.
 */
export function changeOf({ action, action_params }: PreparedBulkContext): RequestChange {
  const { success, data } = requestChange.safeParse(action_params);
  if (success && action === 'request') return data;
  throw notPrepared('http', 'its request is incomplete');
}

/** Returns the declared undo request. Without its own headers, it has those of the change if the server is the same. */
export function undoRequest({
  undo,
  headers,
  url,
  idempotency_header,
}: RequestChange): RequestChange | undefined {
  if (!undo) return undefined;
  const inherited = undo.headers ?? inheritedHeaders({ headers, url }, undo.url);
  return {
    ...undo,
    ...(inherited && { headers: inherited }),
    ...(idempotency_header !== undefined && { idempotency_header }),
  };
}

/** Returns the headers that another request to the same server inherits, without those of the body. */
export function inheritedHeaders(
  { headers, url }: Pick<Declared, 'headers' | 'url'>,
  other: string,
): Declared['headers'] {
  if (headers === undefined || originIn(url) !== originIn(other)) return undefined;
  return Object.fromEntries(Object.entries(headers).filter(([name]) => !/^content-/i.test(name)));
}

const originIn = (url: string) => /^https?:\/\/[^/?#]+/i.exec(url)?.[0].toLowerCase();

/** Returns the names that an undo needs from the answer to the change. */
export const neededOf = ({ undo }: RequestChange): string[] => [
  ...new Set(undo ? sourcesIn(undo).flatMap(({ source, name }) => (source === 'response' ? name : [])) : []),
];

export function isSuccess(
  { success_status = ['200-299'] }: Pick<RequestChange, 'success_status'>,
  status: number,
): boolean {
  return success_status.some((range) => {
    if (typeof range === 'number') return range === status;
    const [from = 0, to = 0] = range.split('-').map(Number);
    return from <= status && status <= to;
  });
}

function distinct(names: readonly string[]): boolean {
  return new Set(names.map((name) => name.toLowerCase())).size === names.length;
}
