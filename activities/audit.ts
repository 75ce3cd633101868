import {
  auditRequestSchema,
  endRecordSchema,
  type AuditActivities,
  type AuditPage,
  type EndRecord,
} from '../src/contract/audit';
import { BatchgateError, parseInput } from '../src/contract/errors';
import type { ActivityDependencies } from './shared/dependencies';

type Needed = Pick<ActivityDependencies, 'audit'>;

/** Returns a page of the audit record. */
export function exportAudit(
  { audit }: Needed,
  request: Parameters<AuditActivities['exportAudit']>[0],
): Promise<AuditPage> {
  if (!audit) throw notKept();
  return audit.export(parseInput(auditRequestSchema, request, 'The request for the audit record'));
}

export async function recordEnd({ audit }: Needed, input: EndRecord): Promise<void> {
  const { job_id, run_id, reason } = parseInput(endRecordSchema, input, 'The record of an end');
  const facts = { assurance: 'asserted', private: { reason } };
  await audit?.append(job_id, { kind: 'ended_by_force', facts, fact: `ended by force ${run_id}` });
}

const notKept = () =>
  new BatchgateError(
    'NOT_CONFIGURED',
    'This worker does not sign the audit record.',
    'Give createBatchgateWorker `audit`, as startWorker and the command line do.',
  );
