import { z } from 'zod';
import { idSchema, upTo } from '../contract/text';

/** Fields that several commands have, with their descriptions. */

const jobId = upTo(1_000).min(1);
export const operation_id = jobId.describe('The id returned when the operation was started');
export const task_run_id = jobId.describe('The id returned when the task run was started');
export const run_id = jobId.describe('The id returned when the macro was started');

export const session_id = idSchema(150).optional().describe('Only those of this session');
export const live = z.boolean().optional().describe('Only those that have not ended');
export const offset = z.number().int().min(0).optional().describe('How many to skip');
export const limit = z.number().int().min(1).max(1_000).optional().describe('How many at most; default 100');

/** The name of the person who decides. */
export const BY =
  'The person who decided, where a backend speaks for its people; anyone else decides under their own name';
export const DECISION_ID = 'An id of the decision: sent again, it changes nothing more';
