import type { Client } from '@temporalio/client';
import { z } from 'zod';
import {
  keysRequestSchema,
  type ApiKey,
  type KeysRequest,
  type NewKey,
  type SignInLink,
} from '../contract/access';
import { auditRequestSchema, type AuditPage, type AuditRequest, type EndRecord } from '../contract/audit';
import { parseInput } from '../contract/errors';
import type { ItemProof } from '../contract/item-proof';
import { MAX_ID_LENGTH } from '../contract/items';
import { TASK_QUEUE, WORKFLOW_TYPES } from '../contract/messages';
import {
  profileRequestSchema,
  type Profile,
  type ProfileChanges,
  type ProfileRequest,
} from '../contract/profile';
import { statsFilterSchema, type StatsFilter, type StatsRow } from '../contract/stats';
import { SUGGESTION_MS, suggestionRequestSchema, type SuggestionRequest } from '../contract/suggestions';
import { upTo } from '../contract/text';
import { call } from './calls';
import { locateOperation } from './status';
import { runOnce, telling, WAIT_MS, type WaitOptions } from './waiting';
import { randomUUID } from 'node:crypto';
import type { BulkOperationInput } from '../contract/operation';
import type { BulkPreview } from '../contract/preview';
import type { Door } from '../contract/record';
import { parseOperationInput } from '../core/bulk/input';
import { refusePlainSecrets } from '../core/shared/plain-secrets';

/** Stores a key of the HTTP API as its hash. */
export async function createKey(client: Client, key: NewKey, taskQueue = TASK_QUEUE): Promise<ApiKey> {
  const [created] = await accessKeys(client, { verb: 'create', ...key }, taskQueue);
  return created as ApiKey;
}

/** Returns all keys, including revoked and expired ones. */
export function listKeys(client: Client, taskQueue = TASK_QUEUE): Promise<ApiKey[]> {
  return accessKeys(client, { verb: 'list' }, taskQueue);
}

/** @throws BatchgateError `NOT_FOUND` if there is no key with this id. */
export async function revokeKey(client: Client, keyId: string, taskQueue = TASK_QUEUE): Promise<ApiKey> {
  const [revoked] = await accessKeys(client, { verb: 'revoke', key_id: keyId }, taskQueue);
  return revoked as ApiKey;
}

/** Stores a sign-in link as its hash. */
export async function keepSignInLink(
  client: Client,
  link: SignInLink,
  taskQueue = TASK_QUEUE,
): Promise<void> {
  await accessKeys(client, { verb: 'link', ...link }, taskQueue);
}

async function accessKeys(client: Client, request: KeysRequest, taskQueue: string): Promise<ApiKey[]> {
  const input = parseInput(keysRequestSchema, request, 'The request for keys');
  return runOnce(client, { type: WORKFLOW_TYPES.accessKeys, id: 'access', taskQueue, input });
}

/** Returns the effective values of a profile. A profile that was never set has the defaults. */
export function getProfile(client: Client, profile?: string, taskQueue = TASK_QUEUE): Promise<Profile> {
  return accessProfile(client, { profile }, taskQueue);
}

/**
 * Changes fields of a profile; `null` restores the default.
 * @throws BatchgateError `INVALID_INPUT` for an unknown field, or a value outside its bounds.
 */
export function setProfile(
  client: Client,
  changes: ProfileChanges,
  profile?: string,
  taskQueue = TASK_QUEUE,
): Promise<Profile> {
  return accessProfile(client, { changes, profile }, taskQueue);
}

async function accessProfile(client: Client, request: ProfileRequest, taskQueue: string): Promise<Profile> {
  const input = parseInput(profileRequestSchema, request, 'The profile');
  return runOnce(client, { type: WORKFLOW_TYPES.profile, id: 'profile', taskQueue, input });
}

export interface SuggestionOptions {
  task_queue?: string;
  /** The maximum wait for the answer, in milliseconds. */
  wait_ms?: number;
}

/**
 * Returns the values that a parameter of a domain can have, read from its tool; none if its adapter cannot suggest any.
 * @throws BatchgateError `TEMPORAL_UNAVAILABLE` if no worker answers in time.
 */
export async function suggestValues(
  client: Client,
  request: SuggestionRequest,
  { task_queue = TASK_QUEUE, wait_ms = SUGGESTION_MS }: SuggestionOptions = {},
): Promise<string[]> {
  const question = {
    type: WORKFLOW_TYPES.suggestions,
    id: 'suggestions',
    taskQueue: task_queue,
    input: parseInput(suggestionRequestSchema, request, 'The request for suggestions'),
    // Once the caller stops waiting, nothing needs the answer.
    workflowExecutionTimeout: 2 * SUGGESTION_MS,
  };
  return runOnce(client, question, wait_ms);
}

/**
 * Returns statistics of operations and their questions, by domain and action, from the ledger of one task queue. The
 * ledger deletes operations that ended long ago.
 */
export async function operationStats(
  client: Client,
  filter: StatsFilter = {},
  taskQueue = TASK_QUEUE,
  withinMs?: number,
): Promise<StatsRow[]> {
  const input = parseInput(statsFilterSchema, filter, 'The filter');
  return runOnce(client, { type: WORKFLOW_TYPES.operationStats, id: 'stats', taskQueue, input }, withinMs);
}

const proofRequestSchema = z.object({ item_id: upTo(MAX_ID_LENGTH).min(1) });

/**
 * Returns a proof from the ledger of what was confirmed about one item. Anyone can verify it without the other items.
 * See docs/proofs.md.
 * @throws BatchgateError `NOT_FOUND`
 */
export async function getItemProof(client: Client, operationId: string, itemId: string): Promise<ItemProof> {
  const { item_id } = parseInput(proofRequestSchema, { item_id: itemId }, 'The request');
  const { workflowId: operation_id, taskQueue } = await locateOperation(client, operationId);
  const input = { operation_id, item_id };
  return runOnce(client, { type: WORKFLOW_TYPES.itemProof, id: 'proof', taskQueue, input });
}

/** Returns one page of an export of the audit record, signed by a worker of a task queue. */
export async function auditPage(
  client: Client,
  request: AuditRequest = {},
  taskQueue = TASK_QUEUE,
): Promise<AuditPage> {
  const input = parseInput(auditRequestSchema, request, 'The request for the audit record');
  return runOnce(client, { type: WORKFLOW_TYPES.auditExport, id: 'audit', taskQueue, input });
}

/** Yields the lines of an export, and reads pages on demand. `first`: a page that was already read. */
export async function* exportAudit(
  client: Client,
  request: AuditRequest = {},
  taskQueue = TASK_QUEUE,
  first?: AuditPage,
): AsyncGenerator<string> {
  let page = first ?? (await auditPage(client, request, taskQueue));
  yield* page.lines;
  while (page.next !== undefined) {
    page = await auditPage(client, { ...request, cursor: page.next }, taskQueue);
    yield* page.lines;
  }
}

/** Records that a job is ended from outside. If no worker runs yet, one writes the record later. */
export async function recordEnd(client: Client, input: EndRecord, taskQueue: string): Promise<void> {
  const workflowId = `audit-end-${input.run_id}`;
  await call(client, () =>
    client.workflow.start(WORKFLOW_TYPES.endRecord, { taskQueue, workflowId, args: [input] }),
  );
}

export interface PreviewOptions extends WaitOptions {
  task_queue?: string;
  /** The door of the request, for the policies. */
  via?: Door | undefined;
}

/**
 * Returns the effect of an operation with this input on each item. Nothing is changed, and no slot is taken. A start
 * with the preview's digest as `expect_digest` runs exactly this preview or is refused.
 * @throws BatchgateError with the code of the refusal that the start would get.
 */
export async function previewBulkOperation(
  client: Client,
  input: BulkOperationInput,
  { task_queue = TASK_QUEUE, wait_ms = WAIT_MS, onWaiting, signal, via }: PreviewOptions = {},
): Promise<BulkPreview> {
  const { items: _, ...request } = parseOperationInput(input);
  refusePlainSecrets(request);
  const workflowId = `preview-${randomUUID()}`;
  const question = {
    type: WORKFLOW_TYPES.bulkPreview,
    id: 'preview',
    taskQueue: task_queue,
    input,
    staticSummary: `Preview: ${input.action} on ${input.domain}`.slice(0, 180),
    // Once the caller stops waiting, nothing needs the answer.
    workflowExecutionTimeout: wait_ms,
    ...(via && { memo: { via } }),
  };
  const ask = () => runOnce<BulkPreview>(client, question, wait_ms, workflowId);
  return telling(client, workflowId, onWaiting, () => (signal ? client.withAbortSignal(signal, ask) : ask()));
}
