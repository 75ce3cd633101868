import { keysRequestSchema, type ApiKey, type KeysRequest } from '../../src/contract/access';
import { BatchgateError, parseInput } from '../../src/contract/errors';
import type { ActivityDependencies } from './dependencies';

/** Makes, lists or revokes keys of the HTTP API, and keeps sign-in links. */
export async function accessKeys(
  { access }: Pick<ActivityDependencies, 'access'>,
  request: KeysRequest,
): Promise<ApiKey[]> {
  const asked = parseInput(keysRequestSchema, request, 'The request for keys');
  if (!access) throw noKeys();
  if (asked.verb === 'list') return access.listKeys();
  if (asked.verb === 'create') {
    const { verb: _, ...key } = asked;
    return [await access.createKey(key)];
  }
  if (asked.verb === 'link') {
    const { verb: _, ...link } = asked;
    await access.keepLink(link);
    return [];
  }
  const revoked = await access.revokeKey(asked.key_id);
  if (revoked) return [revoked];
  throw new BatchgateError(
    'NOT_FOUND',
    `There is no key ${asked.key_id}.`,
    'Take the id from `npx batchgate keys list`.',
  );
}

const noKeys = () =>
  new BatchgateError(
    'NOT_CONFIGURED',
    'This worker keeps no keys of the HTTP API.',
    'Give createBatchgateWorker `access` of its store, and `publicKey` of the signing key.',
  );
