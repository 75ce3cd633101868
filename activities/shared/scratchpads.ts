import { BatchgateError, parseInput } from '../../src/contract/errors';
import type { Scratchpad } from '../../src/contract/scratchpad';
import {
  scratchpadRequestSchema,
  type ScratchpadAnswer,
  type ScratchpadRequest,
} from '../../src/contract/scratchpad';
import { isTooDeep, TOO_DEEP } from '../../src/contract/text';
import { InexactNumber, readJson } from '../../src/core/shared/json';
import { pageOfEntries, pageOfText } from '../../src/core/shared/scratchpad';

/** Carries out one request of a person to a session's scratchpad. */
export async function accessScratchpad(
  scratchpad: Scratchpad,
  request: ScratchpadRequest,
): Promise<ScratchpadAnswer> {
  const input = parseRequest(request);
  switch (input.verb) {
    case 'list':
      return pageOfEntries(await scratchpad.list(input.session_id), input);
    case 'get': {
      const values = await scratchpad.read(input.session_id, [input.key]);
      if (!values.has(input.key)) throw nothingSaved(input.key);
      return pageOfText(input.key, JSON.stringify(values.get(input.key)), input);
    }
    case 'put':
      return scratchpad.save(input.session_id, input.key, parsed(input.text));
    case 'upload':
      return scratchpad.save(uploadSession(input.upload_id), partKey(input.part), input.text);
    case 'join':
      return scratchpad.save(input.session_id, input.key, parsed(await joined(scratchpad, input)));
  }
}

export async function dropUpload(scratchpad: Scratchpad, request: ScratchpadRequest): Promise<void> {
  const input = parseRequest(request);
  if (input.verb !== 'join') return;
  for (const key of partKeys(input.parts)) await scratchpad.delete(uploadSession(input.upload_id), key);
}

const parseRequest = (request: ScratchpadRequest) =>
  parseInput(scratchpadRequestSchema, request, 'The request to the scratchpad');

/** Parts are entries of a separate session, so that hygiene deletes the parts that a lost caller left behind. */
const uploadSession = (uploadId: string) => `upload-${uploadId}`;
const partKey = (part: number) => `part-${part}`;
const partKeys = (parts: number) => Array.from({ length: parts }, (_, part) => partKey(part));

async function joined(
  scratchpad: Scratchpad,
  { upload_id, parts }: { upload_id: string; parts: number },
): Promise<string> {
  const keys = partKeys(parts);
  const values = await scratchpad.read(uploadSession(upload_id), keys);
  const texts = keys.map((key) => values.get(key)).filter((text) => typeof text === 'string');
  if (texts.length === parts) return texts.join('');
  throw new BatchgateError(
    'NOT_FOUND',
    `Of ${parts} uploaded parts, ${texts.length} are there; nothing was saved.`,
    'Put the value again.',
  );
}

function parsed(text: string): unknown {
  let value: unknown;
  try {
    value = readJson(text);
  } catch (error) {
    if (error instanceof InexactNumber) throw error;
    throw notJson('is not valid JSON');
  }
  if (isTooDeep(value)) throw notJson(TOO_DEEP);
  return value;
}

const notJson = (why: string) =>
  new BatchgateError(
    'INVALID_INPUT',
    `The value ${why}; nothing was saved.`,
    'Correct the value and put it again.',
  );

const nothingSaved = (key: string) =>
  new BatchgateError(
    'NOT_FOUND',
    `This session's scratchpad has nothing under '${key}'.`,
    'List the keys with `npx batchgate scratchpad list --session ID`.',
  );
