import type { LateResolution } from '../src/contract/activities';
import { BatchgateError, parseInput } from '../src/contract/errors';
import { resolveRequestSchema } from '../src/contract/messages';
import { isProven } from '../src/core/access/proof';
import { OTHER_RUN } from '../src/core/bulk/signatures';
import type { ItemProof, ItemProofRequest } from '../src/contract/item-proof';
import type { Ledger } from '../src/contract/ledger';
import { itemProof, noItem } from '../src/core/bulk/item-proof';
import { noSuchItem, notInDoubt } from '../src/core/bulk/doubts';
import type { ActivityDependencies } from './shared/dependencies';
import { wholeRecord } from './bulk/undoing';
import { keysRequestSchema, type ApiKey, type KeysRequest } from '../src/contract/access';
import {
  SUGGESTION_MS,
  suggestionRequestSchema,
  type SuggestionRequest,
  MAX_SUGGESTION_LENGTH,
  MAX_SUGGESTIONS,
} from '../src/contract/suggestions';
import { limits } from './adapters/shared/limits';
import { idSchema } from '../src/contract/text';

/**
 * Records the resolution of an item in doubt after the end of its operation. Repeating a resolution has no effect.
 * @throws BatchgateError `NOT_FOUND`, or `INVALID_INPUT` if the item is not in doubt.
 */
export async function resolveLate(
  { ledger, publicKey }: Pick<ActivityDependencies, 'ledger' | 'publicKey'>,
  { operation_id, request }: LateResolution,
): Promise<void> {
  const {
    proof: _,
    signed,
    through: __,
    approver,
    ...resolution
  } = parseInput(resolveRequestSchema, request, 'The resolution');
  const { item_id, ...verdict } = resolution;
  const { items, run_id } = await wholeRecord(ledger, operation_id);
  const item = items.find(({ id }) => id === item_id);
  if (item === undefined) throw BatchgateError.from(noSuchItem(item_id));
  if (item.resolution?.outcome === verdict.outcome && item.state === verdict.outcome) return;
  if (item.state !== 'in_doubt' && item.state !== 'intended') throw BatchgateError.from(notInDoubt(item_id));
  const decision = { operation_id, decision: 'resolve', request };
  // A resolved item accepts no other resolution, so a signature is used once.
  const proven = signed !== undefined && publicKey !== undefined && isProven(decision, publicKey);
  if (proven && signed.run_id !== run_id) throw BatchgateError.from(OTHER_RUN);
  const at = new Date().toISOString();
  const assurance = proven ? (approver?.assurance ?? 'session') : 'asserted';
  await ledger.resolve({ operation_id, index: item.index, ...verdict, at, assurance });
}

/** @throws BatchgateError `NOT_FOUND` if the ledger has no such item, or the item was never confirmed. */
export async function proveItem(
  ledger: Ledger,
  { operation_id, item_id }: ItemProofRequest,
): Promise<ItemProof> {
  const evidence = await ledger.evidenceOf(operation_id, item_id);
  if (evidence) return itemProof(operation_id, evidence);
  throw noItem(operation_id, item_id);
}

/** Creates, lists or revokes keys of the HTTP API, and stores sign-in links. */
export async function accessKeys(
  { access }: Pick<ActivityDependencies, 'access'>,
  request: KeysRequest,
): Promise<ApiKey[]> {
  const input = parseInput(keysRequestSchema, request, 'The request for keys');
  if (!access) throw noKeys();
  if (input.verb === 'list') return access.listKeys();
  if (input.verb === 'create') {
    const { verb: _, ...key } = input;
    return [await access.createKey(key)];
  }
  if (input.verb === 'link') {
    const { verb: _, ...link } = input;
    await access.keepLink(link);
    return [];
  }
  const revokedKey = await access.revokeKey(input.key_id);
  if (revokedKey) return [revokedKey];
  throw new BatchgateError(
    'NOT_FOUND',
    `There is no key ${input.key_id}.`,
    'Take the id from `npx batchgate keys list`.',
  );
}

const noKeys = () =>
  new BatchgateError(
    'NOT_CONFIGURED',
    'This worker keeps no keys of the HTTP API.',
    'Give createBatchgateWorker `access` of its store, and `publicKey` of the signing key.',
  );

/** Returns the values of a parameter, read from the tool. Empty if the adapter does not support suggestions. */
export async function suggest(
  { adapters }: Pick<ActivityDependencies, 'adapters'>,
  request: SuggestionRequest,
): Promise<string[]> {
  const input = parseInput(suggestionRequestSchema, request, 'The request for suggestions');
  const { domain, parameter, params, beginning } = input;
  const values = await adapters.get(domain).suggest?.({ parameter, params }, limits(SUGGESTION_MS));
  return suggestionsFor(values ?? [], beginning);
}

const usable = idSchema(MAX_SUGGESTION_LENGTH);

/** Returns the values that begin with the typed text, in any case, in alphabetical order: at most `MAX_SUGGESTIONS`. */
function suggestionsFor(values: readonly string[], beginning: string): string[] {
  const prefix = beginning.toLowerCase();
  return [...new Set(values)]
    .filter((value) => value.toLowerCase().startsWith(prefix) && usable.safeParse(value).success)
    .sort((a, b) => a.localeCompare(b))
    .slice(0, MAX_SUGGESTIONS);
}
