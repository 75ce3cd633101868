import type { FastifyRequest } from 'fastify';
import type { DecisionOptions } from '../client';
import { approverOf } from './approver';
import { principalOf, speaksFor, type ApiContext } from './context';
import { fieldsOf, questionIn, type Fields } from './pages/forms';

type Showed = Pick<DecisionOptions, 'door' | 'shown'>;

/** The door of a request. What a person was shown is recorded; what a backend shows its people is not. */
function throughDoor(context: Pick<ApiContext, 'shown' | 'deliveries'>, request: FastifyRequest): Showed {
  const { id, kind } = principalOf(request);
  if (!request.url.startsWith('/v1/'))
    return { door: 'page', shown: () => deliveredIn(context, id, fieldsOf(request)) };
  return {
    door: 'http',
    ...(kind === 'person' && { shown: (operationId) => context.shown.of(id, operationId) }),
  };
}

/** The question in a form, and the time of its delivery to this reader's page. */
export function deliveredIn({ deliveries }: Pick<ApiContext, 'deliveries'>, reader: string, fields: Fields) {
  const { digest, stamp } = questionIn(fields);
  if (digest === undefined) return undefined;
  const since = deliveries.timeOf(reader, digest, stamp);
  return since === undefined ? undefined : { digest, since };
}

/** The decider of a request, for the operation's record. */
export function decidedBy(
  context: ApiContext,
  request: FastifyRequest,
  by: string | undefined,
): { by: string; options: DecisionOptions } {
  const { vouch, origin } = context;
  const approver = approverOf(context, principalOf(request), speaksFor(request, by));
  return { by: approver.by, options: { ...throughDoor(context, request), vouch, approver, origin } };
}
