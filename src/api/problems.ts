import { STATUS_CODES } from 'node:http';
import type { Socket } from 'node:net';
import type { FastifyError, FastifyReply } from 'fastify';
import { hasZodFastifySchemaValidationErrors } from 'fastify-type-provider-zod';
import { z } from 'zod';
import { BatchgateError, errorBodySchema, HTTP_STATUS } from '../contract/errors';
import { TOO_DEEP } from '../contract/text';

/** An error over HTTP, as in RFC 9457, with the members of every batchgate error. */
export const problemSchema = errorBodySchema.extend({
  type: z.literal('about:blank'),
  title: z.string(),
  status: z.number().int(),
  /** The same as `message`. */
  detail: z.string(),
});

const PROBLEM = 'application/problem+json';

/** The response of every route on failure. */
export const problemResponse = {
  default: {
    description: 'A problem: what is wrong, and what to do',
    content: { [PROBLEM]: { schema: problemSchema } },
  },
};

/** Answers a failure with a problem document. The caller gets no details of an unexpected failure. */
export function sendProblem(error: unknown, reply: FastifyReply, challenge = 'Bearer'): FastifyReply {
  const { status, problem } = problemOf(error);
  if (status === 401) void reply.header('www-authenticate', challenge);
  return reply.code(status).type(PROBLEM).send(documentOf(status, problem));
}

const documentOf = (status: number, { message, body }: BatchgateError): z.infer<typeof problemSchema> => ({
  type: 'about:blank',
  title: STATUS_CODES[status] ?? 'Error',
  status,
  detail: message,
  ...body,
});

/** The statuses for errors of Node's parser (https://nodejs.org/api/http.html#event-clienterror); 400 for others. */
const UNREADABLE: Readonly<Record<string, number>> = {
  HPE_HEADER_OVERFLOW: 431,
  ERR_HTTP_REQUEST_TIMEOUT: 408,
};

/** Answers data that is not a complete HTTP request, and so reaches no route. */
export function refuseUnreadable(error: Error & { code: string }, socket: Socket): void {
  if (error.code !== 'ECONNRESET' && socket.writable) {
    const status = UNREADABLE[error.code] ?? 400;
    const body = JSON.stringify(documentOf(status, unreadable()));
    const head = [
      `HTTP/1.1 ${status} ${STATUS_CODES[status]}`,
      `Content-Type: ${PROBLEM}`,
      'Connection: close',
    ];
    socket.write(`${head.join('\r\n')}\r\nContent-Length: ${Buffer.byteLength(body)}\r\n\r\n${body}`);
  }
  socket.destroy(error);
}

const unreadable = () =>
  new BatchgateError(
    'INVALID_INPUT',
    'This is not a whole HTTP request.',
    'Correct its headers, keep them below 16 KB, and send it at once; nothing was read or touched.',
  );

/** The parts of a failure that its caller may see. */
export function problemOf(error: unknown): { status: number; problem: BatchgateError } {
  const problem = knownProblem(error);
  return { status: statusOf(error, problem), problem };
}

/** The remedies for bodies that fastify refuses: invalid JSON, too large, or of another type. */
const REFUSED: Readonly<Record<number, string>> = {
  400: 'Send valid JSON.',
  413: 'Send a smaller body.',
  415: 'Send JSON, with `Content-Type: application/json`.',
};

function statusOf(error: unknown, problem: BatchgateError): number {
  const { statusCode } = error as Partial<FastifyError>;
  return statusCode !== undefined && statusCode in REFUSED ? statusCode : HTTP_STATUS[problem.code];
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
