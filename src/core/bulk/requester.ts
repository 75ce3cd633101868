import type { BulkOperationInput } from '../../contract/operation';
import type { Requester } from '../../contract/requester';
import { quoted, quotedWords } from '../shared/plain-text';

type Asked = Pick<BulkOperationInput, 'reason' | 'requested_by' | 'by_agent'>;

/** The requester of a question, which its digest covers; undefined without a reason. */
export function requesterOf({ reason, requested_by, by_agent }: Asked): Requester | undefined {
  if (reason === undefined) return undefined;
  return {
    reason,
    ...(requested_by !== undefined && { requested_by }),
    ...(by_agent && { by_agent }),
  };
}

/** `The requester “anna”`, `The requester, an agent under the name “anna”,` */
function requesterName({ requested_by, by_agent }: Asked): string {
  const name = requested_by === undefined ? '' : quoted(requested_by);
  if (!by_agent) return name === '' ? 'The requester' : `The requester ${name}`;
  return name === '' ? 'The requester, an agent,' : `The requester, an agent under the name ${name},`;
}

/** The line beside a question with the requester's reason, safely quoted; empty without a reason. */
export function requesterLines(request: Asked): string[] {
  const { reason } = request;
  return reason === undefined ? [] : [`${requesterName(request)} says: ${quotedWords(reason)}`];
}
