import { BatchgateError, parseInput } from './errors';
import { WORKFLOW_TYPES } from './messages';
import { MAX_JOB_ID_LENGTH } from './sentinel';
import { idSchema } from './text';

type WorkflowType = (typeof WORKFLOW_TYPES)[keyof typeof WORKFLOW_TYPES];

/** Ids that our own workflows run under. A job under one of them would take their place, or be taken for one. */
const RESERVED: readonly { ids: RegExp; shown: string; except?: WorkflowType }[] = [
  { ids: /^sentinel(-|$)/, shown: 'sentinel' },
  { ids: /^batchgate(-|$)/, shown: 'batchgate-' },
  { ids: /^hygiene(-|$)/, shown: 'hygiene' },
  { ids: /^webhooks?(-|$)/, shown: 'webhook-' },
  { ids: /^ledger-/, shown: 'ledger-' },
  { ids: /^access-/, shown: 'access-' },
  { ids: /^preview-/, shown: 'preview-' },
  { ids: /^profile-/, shown: 'profile-' },
  { ids: /^scratchpad-/, shown: 'scratchpad-' },
  { ids: /^assistant-/, shown: 'assistant-', except: WORKFLOW_TYPES.assistant },
  { ids: /^macro-/, shown: 'macro-', except: WORKFLOW_TYPES.macro },
];

/** Whether a job is the run of a macro: no other kind has such an id. */
export const isMacroRun = (jobId: string): boolean => jobId.startsWith('macro-');

const NAMES: Partial<Record<WorkflowType, string>> = {
  [WORKFLOW_TYPES.bulkOperation]: 'operation id',
  [WORKFLOW_TYPES.macro]: 'run id',
  [WORKFLOW_TYPES.taskRun]: 'task run id',
};

const jobIdSchema = idSchema(MAX_JOB_ID_LENGTH);

/**
 * Reads the id of a bulk operation, a macro run or a task run.
 * @throws BatchgateError `INVALID_INPUT` when it is too long, or belongs to our own workflows.
 */
export function parseJobId(value: string, type: WorkflowType): string {
  const id = parseInput(jobIdSchema, value, `The ${NAMES[type] ?? 'id'}`);
  const reserved = RESERVED.find(({ ids, except }) => ids.test(id) && except !== type);
  if (reserved === undefined) return id;
  throw new BatchgateError(
    'INVALID_INPUT',
    `Ids that begin with \`${reserved.shown}\` are reserved for workflows of batchgate itself.`,
    'Choose another id, or give none; nothing was read or touched.',
  );
}
