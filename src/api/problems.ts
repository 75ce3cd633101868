import { STATUS_CODES } from 'node:http';
import type { FastifyError, FastifyReply } from 'fastify';
import { hasZodFastifySchemaValidationErrors } from 'fastify-type-provider-zod';
import { z } from 'zod';
import { BatchgateError, errorBodySchema, HTTP_STATUS } from '../contract/errors';
import { TOO_DEEP } from '../contract/text';

/** An error over HTTP: RFC 9457, with the members of all our errors. */
export const problemSchema = errorBodySchema.extend({
  type: z.literal('about:blank'),
  title: z.string(),
  status: z.number().int(),
  /** The same as `message`. */
  detail: z.string(),
});

const PROBLEM = 'application/problem+json';

/** Every response except the one that the route promises. */
export const problemResponse = {
  default: {
    description: 'A problem: what is wrong, and what to do',
    content: { [PROBLEM]: { schema: problemSchema } },
  },
};

/** Answers a failure with a problem document. The caller gets no details of an unexpected failure. */
export function sendProblem(error: unknown, reply: FastifyReply, challenge = 'Bearer'): FastifyReply {
  const { status, problem: known } = problemOf(error);
  if (status === 401) void reply.header('www-authenticate', challenge);
  return reply
    .code(status)
    .type(PROBLEM)
    .send({
      type: 'about:blank',
      title: STATUS_CODES[status] ?? 'Error',
      status,
      detail: known.message,
      ...known.body,
    } satisfies z.infer<typeof problemSchema>);
}

/** The parts of a failure that its caller may see. */
export function problemOf(error: unknown): { status: number; problem: BatchgateError } {
  const problem = knownProblem(error);
  return { status: statusOf(error, problem), problem };
}

/** What fastify itself refuses: a body that is not valid JSON, is too large, or has another type. */
const REFUSED: Readonly<Record<number, string>> = {
  400: 'Send valid JSON.',
  413: 'Send a smaller body.',
  415: 'Send JSON, with `Content-Type: application/json`.',
};

function statusOf(error: unknown, known: BatchgateError): number {
  const { statusCode } = error as Partial<FastifyError>;
  return statusCode !== undefined && statusCode in REFUSED ? statusCode : HTTP_STATUS[known.code];
}

function knownProblem(error: unknown): BatchgateError {
  if (error instanceof BatchgateError) return error;
  if (hasZodFastifySchemaValidationErrors(error)) {
    const context = error.validationContext ?? 'body';
    const mistakes = error.validation
      .slice(0, 5)
      .map(({ instancePath, message }) => {
        const path = instancePath.replace(/^\//, '').replaceAll('/', '.');
        return path === '' ? (message ?? '') : `${path}: ${message ?? ''}`;
      })
      .join('; ');
    return new BatchgateError(
      'INVALID_INPUT',
      `The ${WHERE[context] ?? context} is not valid: ${mistakes}`,
      'Correct the named fields and send it again; nothing was read or touched.',
    );
  }
  const { statusCode = 500, message } = error as Partial<FastifyError>;
  const remedy = REFUSED[statusCode];
  if (remedy !== undefined) return new BatchgateError('INVALID_INPUT', message ?? 'Bad request.', remedy);
  return new BatchgateError('INTERNAL', 'The server failed.', 'This is a defect; please report it.');
}

const WHERE: Readonly<Record<string, string>> = { querystring: 'query', params: 'path' };

export const tooDeepBody = () =>
  new BatchgateError(
    'INVALID_INPUT',
    `The body ${TOO_DEEP}.`,
    'Send flatter values; nothing was read or touched.',
  );

export const malformedAddress = () =>
  new BatchgateError(
    'INVALID_INPUT',
    'The address is not valid.',
    'Encode each part of the path, as encodeURIComponent does. No id has more than 1,000 characters.',
  );

export const notFound = () =>
  new BatchgateError('NOT_FOUND', 'There is nothing here.', 'See /openapi.json for all routes.');
