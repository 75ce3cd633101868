import { BatchgateError } from '../contract/errors';
import { WORKFLOW_TYPES } from '../contract/messages';
import type { JobKind } from '../contract/sentinel';

interface Kind {
  kind: JobKind;
  name: string;
  /** The verbs that show and control the job. */
  verbs: readonly string[];
  list: string;
}

/** The kinds of jobs, by the type of their workflow. */
const KINDS: Partial<Record<string, Kind>> = {
  [WORKFLOW_TYPES.bulkOperation]: {
    ...{ kind: 'bulk_operation', name: 'bulk operation', list: 'list' },
    verbs: ['status', 'continue', 'cancel'],
  },
  [WORKFLOW_TYPES.macro]: {
    ...{ kind: 'macro', name: 'macro run', list: 'macro runs' },
    verbs: ['macro status', 'macro trace', 'macro answer', 'macro pause', 'macro resume', 'cancel'],
  },
  [WORKFLOW_TYPES.assistant]: {
    ...{ kind: 'assistant', name: 'assistant', list: 'list' },
    verbs: ['status', 'cancel'],
  },
  [WORKFLOW_TYPES.taskRun]: {
    ...{ kind: 'task_run', name: 'task run', list: 'task list' },
    verbs: ['task get', 'task record', 'task complete', 'cancel'],
  },
};

/** Undefined for a workflow that is not a job. */
export const kindOf = (workflowType: string): JobKind | undefined => KINDS[workflowType]?.kind;

/** Returns the error for a request that jobs of this type do not accept. `expected`: the type that accepts it. */
export function wrongKind(jobId: string, workflowType: string, expected?: string): BatchgateError {
  const actual = KINDS[workflowType];
  if (actual === undefined) return noSuchJob(expected);
  const verbs = actual.verbs.map((name) => `\`npx batchgate ${name} ${jobId}\``);
  const other = expected === undefined ? undefined : KINDS[expected]?.name;
  return new BatchgateError(
    'NOT_FOUND',
    `${jobId} is a ${actual.name}${other === undefined ? ', which does not take this request' : `, not a ${other}`}.`,
    `Use ${verbs.slice(0, -1).join(', ')} or ${verbs.at(-1)}.`,
  );
}

export function noSuchJob(expected: string = WORKFLOW_TYPES.bulkOperation): BatchgateError {
  const { name, list } = KINDS[expected] ?? { name: 'job', list: 'list' };
  const what = expected === WORKFLOW_TYPES.bulkOperation ? 'operation' : name;
  return new BatchgateError('NOT_FOUND', `No such ${what}.`, `Take the id from \`batchgate ${list}\`.`);
}
