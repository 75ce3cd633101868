import { BatchgateError, parseInput } from './errors';
import { WORKFLOW_TYPES } from './messages';
import type { BulkOperationInput } from './operation';
import { MAX_JOB_ID_LENGTH } from './sentinel';
import { idSchema } from './text';

type WorkflowType = (typeof WORKFLOW_TYPES)[keyof typeof WORKFLOW_TYPES];

/** Ids of our own workflows. A job with such an id would take their place, or be mistaken for one of them. */
export const RESERVED: readonly { ids: RegExp; shown: string; except?: WorkflowType }[] = [
  { ids: /^sentinel(-|$)/, shown: 'sentinel' },
  { ids: /^batchgate(-|$)/, shown: 'batchgate-' },
  { ids: /^hygiene(-|$)/, shown: 'hygiene' },
  { ids: /^webhooks?(-|$)/, shown: 'webhook-' },
  { ids: /^ledger-/, shown: 'ledger-' },
  { ids: /^access-/, shown: 'access-' },
  { ids: /^audit-/, shown: 'audit-' },
  { ids: /^preview-/, shown: 'preview-' },
  { ids: /^profile-/, shown: 'profile-' },
  { ids: /^scratchpad-/, shown: 'scratchpad-' },
  { ids: /^assistant-/, shown: 'assistant-', except: WORKFLOW_TYPES.assistant },
  { ids: /^macro-/, shown: 'macro-', except: WORKFLOW_TYPES.macro },
];

/** Whether a job is the run of a macro: no other kind has such an id. */
export const isMacroRun = (jobId: string): boolean => jobId.startsWith('macro-');

/** Whether a job is an assistant: no other kind has such an id. */
export const isAssistant = (jobId: string): boolean => jobId.startsWith('assistant-');

const NAMES: Partial<Record<WorkflowType, string>> = {
  [WORKFLOW_TYPES.bulkOperation]: 'operation id',
  [WORKFLOW_TYPES.macro]: 'run id',
  [WORKFLOW_TYPES.taskRun]: 'task run id',
};

/** The part of an input that names the operation to follow up. The follow-up's id derives from that operation's id. */
export type Following = Pick<BulkOperationInput, 'undoes' | 'metadata'>;

/** Ids of follow-ups. They derive from the operation's id, so that a repeated request finds the existing follow-up. */
const DERIVED = /^(.+)\.(rest|retry|undo)(?:-\d+)?$/s;
export const FOLLOWS: Readonly<Record<string, { what: string; of: (input: Following) => unknown }>> = {
  rest: { what: 'runs the rest of', of: ({ metadata }) => metadata?.['rest_of'] },
  retry: { what: 'retries items of', of: ({ metadata }) => metadata?.['retry_of'] },
  undo: { what: 'undoes', of: ({ undoes }) => undoes },
};

/** Returns the operation that first tried the items of a retry or of a rest. Only follow-ups have such ids. */
export function firstTryOf(operationId: string): string {
  const [, followed, suffix] = DERIVED.exec(operationId) ?? [];
  return followed === undefined || suffix === 'undo' ? operationId : firstTryOf(followed);
}

const jobIdSchema = idSchema(MAX_JOB_ID_LENGTH);

/**
 * Parses the id of a bulk operation, a macro run or a task run.
 * @throws BatchgateError `INVALID_INPUT` if it is too long, or reserved for our own workflows or a follow-up.
 */
export function parseJobId(value: string, type: WorkflowType, input: Following = {}): string {
  const id = parseInput(jobIdSchema, value, `The ${NAMES[type] ?? 'id'}`);
  const reserved = RESERVED.find(({ ids, except }) => ids.test(id) && except !== type);
  const [, followed, suffix = ''] = DERIVED.exec(id) ?? [];
  const follows = FOLLOWS[suffix];
  if (followed !== undefined && follows && follows.of(input) !== followed) {
    throw new BatchgateError(
      'INVALID_INPUT',
      `Ids that end with \`.${suffix}\` are reserved for the operation that ${follows.what} the one before it.`,
      'Choose another id, or give none; nothing was read or touched.',
    );
  }
  if (reserved === undefined) return id;
  throw new BatchgateError(
    'INVALID_INPUT',
    `Ids that begin with \`${reserved.shown}\` are reserved for workflows of batchgate itself.`,
    'Choose another id, or give none; nothing was read or touched.',
  );
}
