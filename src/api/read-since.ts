import type { FastifyRequest } from 'fastify';
import type { DecisionOptions } from '../client';
import { approverOf } from './approver';
import { principalOf, speaksFor, type ApiContext } from './context';
import { fieldsOf, questionIn, type Fields } from './pages/forms';

type Showed = Pick<DecisionOptions, 'door' | 'shown'>;

/** Where the sender of a request decides. What was shown to a person is known; a backend shows it to people unseen by us. */
function throughDoor(context: Pick<ApiContext, 'shown' | 'deliveries'>, request: FastifyRequest): Showed {
  const { id, kind } = principalOf(request);
  if (!request.url.startsWith('/v1/'))
    return { door: 'page', shown: () => deliveredIn(context, id, fieldsOf(request)) };
  return {
    door: 'http',
    ...(kind === 'person' && { shown: (operationId) => context.shown.of(id, operationId) }),
  };
}

/** The question whose delivery to this reader's page a form carries. */
export function deliveredIn({ deliveries }: Pick<ApiContext, 'deliveries'>, reader: string, fields: Fields) {
  const { digest, stamp } = questionIn(fields);
  if (digest === undefined) return undefined;
  const since = deliveries.timeOf(reader, digest, stamp);
  return since === undefined ? undefined : { digest, since };
}

/** Who decided, for the record of the operation. */
export function decidedBy(
  context: ApiContext,
  request: FastifyRequest,
  by: string | undefined,
): { by: string; options: DecisionOptions } {
  const { vouch, origin } = context;
  const approver = approverOf(context, principalOf(request), speaksFor(request, by));
  return { by: approver.by, options: { ...throughDoor(context, request), vouch, approver, origin } };
}
