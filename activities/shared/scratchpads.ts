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
  const asked = read(request);
  switch (asked.verb) {
    case 'list':
      return pageOfEntries(await scratchpad.list(asked.session_id), asked);
    case 'get': {
      const values = await scratchpad.read(asked.session_id, [asked.key]);
      if (!values.has(asked.key)) throw nothingSaved(asked.key);
      return pageOfText(asked.key, JSON.stringify(values.get(asked.key)), asked);
    }
    case 'put':
      return scratchpad.save(asked.session_id, asked.key, parsed(asked.text));
    case 'upload':
      return scratchpad.save(uploadSession(asked.upload_id), partKey(asked.part), asked.text);
    case 'join':
      return scratchpad.save(asked.session_id, asked.key, parsed(await joined(scratchpad, asked)));
  }
}

export async function dropUpload(scratchpad: Scratchpad, request: ScratchpadRequest): Promise<void> {
  const asked = read(request);
  if (asked.verb !== 'join') return;
  for (const key of partKeys(asked.parts)) await scratchpad.delete(uploadSession(asked.upload_id), key);
}

const read = (request: ScratchpadRequest) =>
  parseInput(scratchpadRequestSchema, request, 'The request to the scratchpad');

/** The parts are entries of a session of their own, so that hygiene deletes what a lost caller left behind. */
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
