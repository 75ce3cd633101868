import { randomUUID } from 'node:crypto';
import type { Client } from '@temporalio/client';
import { BatchgateError, parseInput } from '../contract/errors';
import type { Json } from '../contract/macro';
import { TASK_QUEUE, WORKFLOW_TYPES, type PageRequest } from '../contract/messages';
import type { ScratchpadEntry } from '../contract/scratchpad';
import {
  scratchpadRequestSchema,
  type ScratchpadAnswer,
  type ScratchpadListPage,
  type ScratchpadRequest,
  type ScratchpadTextPage,
} from '../contract/scratchpad';
import { holdsNoNumber, NO_NUMBER } from '../contract/text';
import { entryBytes, partsOf } from '../core/shared/scratchpad';
import { runOnce } from './waiting';

/** Returns the entries of a session's scratchpad without their values, in the order of their keys. */
export function listScratchpad(
  client: Client,
  sessionId: string,
  page: PageRequest = {},
  taskQueue = TASK_QUEUE,
): Promise<ScratchpadListPage> {
  return access(client, { verb: 'list', session_id: sessionId, ...page }, taskQueue);
}

/**
 * Returns a part of a value's JSON.
 * @throws BatchgateError `NOT_FOUND` when the session has nothing under this key.
 */
export function getScratchpadPage(
  client: Client,
  sessionId: string,
  key: string,
  page: PageRequest = {},
  taskQueue = TASK_QUEUE,
): Promise<ScratchpadTextPage> {
  return access(client, { verb: 'get', session_id: sessionId, key, ...page }, taskQueue);
}

/**
 * Returns a whole value.
 * @throws BatchgateError `NOT_FOUND` when the session has nothing under this key; `IDEMPOTENCY_CONFLICT` when the value
 * changes while it is read.
 */
export async function getScratchpad(
  client: Client,
  sessionId: string,
  key: string,
  taskQueue = TASK_QUEUE,
): Promise<Json> {
  const first = await getScratchpadPage(client, sessionId, key, {}, taskQueue);
  let json = first.text;
  for (let offset = first.next_offset; offset !== undefined;) {
    const next = await getScratchpadPage(client, sessionId, key, { offset }, taskQueue);
    if (next.digest !== first.digest) throw changed(key);
    json += next.text;
    offset = next.next_offset;
  }
  return JSON.parse(json) as Json;
}

/**
 * Saves a value, replacing what the key held. A long value is sent in parts, and saved once all have arrived.
 * @throws BatchgateError `INVALID_INPUT` when the value, or all of the session's, would be too large.
 */
export async function putScratchpad(
  client: Client,
  sessionId: string,
  key: string,
  value: Json,
  taskQueue = TASK_QUEUE,
): Promise<ScratchpadEntry> {
  if (holdsNoNumber(value))
    throw new BatchgateError(
      'INVALID_INPUT',
      `The value ${NO_NUMBER}.`,
      'Write it as text; nothing was saved.',
    );
  const json = JSON.stringify(value);
  entryBytes(json);
  const [text = '', ...more] = partsOf(json);
  const target = { session_id: sessionId, key };
  if (more.length === 0) return access(client, { verb: 'put', ...target, text }, taskQueue);
  const upload_id = randomUUID();
  const join = { verb: 'join', ...target, upload_id, parts: more.length + 1 } as const;
  // Reports a mistake in the session or the key before anything is sent.
  parsed(join);
  for (const [part, content] of [text, ...more].entries())
    await access(client, { verb: 'upload', upload_id, part, text: content }, taskQueue);
  return access(client, join, taskQueue);
}

const parsed = (request: ScratchpadRequest) =>
  parseInput(scratchpadRequestSchema, request, 'The request to the scratchpad');

async function access<T extends ScratchpadAnswer>(
  client: Client,
  request: ScratchpadRequest,
  taskQueue: string,
): Promise<T> {
  const question = { type: WORKFLOW_TYPES.scratchpad, id: 'scratchpad', taskQueue };
  return runOnce(client, { ...question, input: parsed(request) });
}

const changed = (key: string) =>
  new BatchgateError(
    'IDEMPOTENCY_CONFLICT',
    `The value under '${key}' changed while it was being read.`,
    'Read it again.',
  );
