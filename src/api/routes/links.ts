import { z } from 'zod';
import { getBulkStatus } from '../../client';
import { BatchgateError } from '../../contract/errors';
import { idSchema } from '../../contract/text';
import { principalOf, type Api, type ApiContext } from '../context';
import { problemResponse } from '../problems';
import { operationParams } from './operations';

const MAX_SECONDS = 7 * 86_400;
const bodySchema = z.strictObject({
  name: idSchema(150).describe('The name of the person who answers by this link, for the record'),
  expires_in_seconds: z
    .number()
    .int()
    .min(1)
    .max(MAX_SECONDS)
    .default(86_400)
    .describe('How long the link is valid'),
});
const linkSchema = z.object({
  url: z.string(),
  batch: z.number().int(),
  attempt: z.number().int(),
  expires_at: z.iso.datetime(),
});

/** Links that open one question for a person who is not signed in. */
export function addLinkRoutes(api: Api, { client, links, origin }: ApiContext): void {
  api.post(
    '/v1/operations/:operation_id/links',
    {
      schema: {
        operationId: 'createLink',
        tags: ['decisions'],
        params: operationParams,
        body: bodySchema,
        response: { 201: linkSchema, ...problemResponse },
      },
    },
    async (request, reply) => {
      const { operation_id } = request.params;
      const { name, expires_in_seconds } = request.body;
      const { next_batch: gate } = await getBulkStatus(client, operation_id);
      if (!gate) throw noQuestion();
      const { number: batch, attempt, digest } = gate;
      const expires_at = new Date(Date.now() + expires_in_seconds * 1_000).toISOString();
      const { kind, id, name: by, session } = principalOf(request);
      const maker = { name: by, ...(kind === 'key' && { key_id: id }), ...(session && { session }) };
      const token = links.create({ operation_id, batch, attempt, digest, name, maker, expires_at });
      return reply.code(201).send({ url: `${origin()}/gates/${token}`, batch, attempt, expires_at });
    },
  );
}

const noQuestion = () =>
  new BatchgateError(
    'NOT_AWAITING_CONFIRMATION',
    'No question is open, so there is nothing to link to.',
    'Wait for the next question.',
  );
