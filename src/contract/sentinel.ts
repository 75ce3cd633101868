import { z } from 'zod';
import type { ErrorBody } from './errors';
import { TASK_QUEUE } from './messages';
import { idSchema, upTo } from './text';

/** The pause of hygiene after any activity (specification S4). Milliseconds. */
export const COOLDOWN_MS = 900_000;

/**
 * The timeout of one try of the admission; the server refuses a later result. A bulk operation plans in the same try,
 * and there the first late heartbeat is refused. Milliseconds.
 */
export const ADMISSION_TRY_MS = 5_000;

/**
 * The wait of a sentinel that replaces another one, before it lists the running jobs. By then every try that its
 * predecessor may have answered has ended or sent a heartbeat, and the lists include every job that had started.
 * Milliseconds.
 */
export const SETTLE_MS = ADMISSION_TRY_MS + 2_000;

/** Returns the id of the sentinel of a task queue: `sentinel` for the default queue. */
export function sentinelId(taskQueue: string): string {
  return taskQueue === TASK_QUEUE ? 'sentinel' : `sentinel-${taskQueue}`;
}

/** The maximum number of slots of a task queue. With ids of usual length, the state of the sentinel has room for them. */
export const MAX_SLOTS = 10_000;

/** The maximum number of holders that a refusal names, oldest first. Their states are read before it is given. */
export const NAMED_HOLDERS = 100;

/** The maximum length of a job id. It limits the state of the sentinel. */
export const MAX_JOB_ID_LENGTH = 150;

/** A job. It is also the argument of the signal `release`, which reports the end of the job. */
export const jobKeySchema = z.object({
  /** The workflow id. */
  job_id: idSchema(MAX_JOB_ID_LENGTH),
  /** The first run of its chain, because an id may be used again. */
  run_id: idSchema(100),
});
export type JobKey = z.infer<typeof jobKeySchema>;

const jobKindSchema = z.enum(['bulk_operation', 'task_run', 'macro', 'assistant']);
export type JobKind = z.infer<typeof jobKindSchema>;

/** A job that requests a slot. */
const applicantSchema = jobKeySchema.extend({
  kind: jobKindSchema,
  session_id: idSchema(150).optional(),
  /** The job that started it and shares its slot and session. That job is asked before the sentinel. */
  parent: jobKeySchema.optional(),
});
export type Applicant = z.infer<typeof applicantSchema>;

/** A job that holds a slot. `admitted_at`: ISO 8601. */
export type Job = Applicant & { admitted_at: string };

const { job_id: id, run_id: run } = jobKeySchema.shape;
/**
 * A packed job: its id, run, kind, time of admission (milliseconds since the epoch) and session, and the id and run of
 * its parent. Temporal accepts 2 MB per payload, and ten thousand jobs with the names of their fields take more.
 */
const jobRowSchema = z.tuple([
  id,
  run,
  jobKindSchema,
  z.number().int(),
  idSchema(150).nullable(),
  id.nullable(),
  run.nullable(),
]);
export type JobRow = z.infer<typeof jobRowSchema>;

/** Update `admit`: requests a slot, with the facts that the sender collected since the last answer. */
export const admitRequestSchema = z.strictObject({
  job: applicantSchema,
  /** The limit of active jobs. */
  limit: z.number().int().min(1).max(MAX_SLOTS),
  /** Holders that have ended, as their descriptions show. */
  ended: z.array(jobKeySchema).max(1_000).optional(),
  /** The running jobs, for a sentinel of this epoch that does not have them yet. */
  seen: z.strictObject({ epoch: z.string(), jobs: z.array(jobRowSchema).max(2 * MAX_SLOTS) }).optional(),
});
export type AdmitRequest = z.infer<typeof admitRequestSchema>;

interface SlotCounts {
  limit: number;
  active: number;
  jobs: number;
}

/**
 * The answer to `admit`. If `because` is `limit`, `limit` is the number of slots for these jobs: long ids and sessions
 * leave room for fewer than the settings allow, and `active` is the number of those taken, by this many `jobs`.
 * `holders`: at most `NAMED_HOLDERS`.
 * `unsettled`: the holders are not known yet. List the running jobs after `wait_ms`, and send them with this `epoch`.
 */
export type AdmitAnswer =
  | { admitted: true }
  | ({ admitted: false; because: 'limit' | 'session'; holders: Job[] } & Partial<SlotCounts>)
  | { admitted: false; because: 'unsettled'; epoch: string; wait_ms: number };

/** Update and signal `touch`: a person or an agent is active (specification S4). */
export const touchRequestSchema = z.strictObject({
  by: idSchema(150).optional(),
  /** Also requests the job of this session. */
  session_id: idSchema(150).optional(),
  /** The id of a message of that session. The same message again concerns the same job. */
  message_id: idSchema(150).optional(),
});
export type TouchRequest = z.infer<typeof touchRequestSchema>;

/** The answer to the last message of a session that decided nothing while this question was open. */
const noteSchema = z.strictObject({
  /**
   * `apart`: the message was about something else. `asked`: the person was asked a question in return. `waits`: the
   * person answered no to it, and the operation keeps waiting. `shown`: the open question was shown again, so a bare
   * yes answers it. `proposed`: the reply proposed something else, so a bare yes answers that.
   */
  said: z.enum(['apart', 'asked', 'waits', 'shown', 'proposed']),
  operation_id: idSchema(1_000),
  /** The digest of the open question. Once another one is open, the note does not apply. Empty if none was open. */
  digest: upTo(128),
  /** The places in the batch, from 0, of the items whose exclusion the person was asked to confirm. */
  exclude: z.array(z.number().int().min(0)).max(1_000).optional(),
  /** Set if a message limited the batch in a way that was not understood. A bare yes then does not confirm it all. */
  limited: z.literal(true).optional(),
  /** The start time that the person was asked to confirm: ISO 8601. */
  not_before: upTo(40).optional(),
});
export type Note = z.infer<typeof noteSchema>;

/** Signal `note`: stores the answer to a message. A repeated message keeps its first note. */
export const noteRequestSchema = noteSchema.extend({
  session_id: idSchema(150),
  message_id: idSchema(150).optional(),
  /** The limits of an earlier note about the same question hold on. */
  keeps_limits: z.literal(true).optional(),
});
export type NoteRequest = z.infer<typeof noteRequestSchema>;

/** Whether hygiene is paused, until when, and because of whose activity (specification S6). */
export interface Cooldown {
  active: boolean;
  cron_pause_until: string;
  last_activity_at: string;
  by?: string;
}

/** `job` is the job of the requested session. `settled` is false until the sentinel has the running jobs. */
export interface TouchAnswer extends Cooldown {
  settled: boolean;
  job?: Job;
  /** For a repeated message: the id of the job that it concerned the first time, empty if there was none. */
  heard_of?: string;
  /** Notes before this time are lost; absent if none are. */
  remembers_since?: string;
  /** The latest note of the session; for a repeated message, the note at its first arrival. */
  note?: Note;
  /** For a repeated message: its first answer. */
  answered?: Note;
}

/** Query `overview`: the facts for hygiene, at one moment. `settled` as in `TouchAnswer`. */
export interface SentinelOverview {
  settled: boolean;
  cooldown: Cooldown;
  jobs: JobRow[];
}

/** The facts that hygiene gets from the sentinel. Reading them is no activity. */
export interface Observed {
  /** The end of the pause of hygiene; undefined if there was never any activity. */
  paused_until?: string;
  /** The live jobs; undefined until the sentinel has them. */
  jobs?: Job[];
}

/** The input of the workflow `sentinel`. By default it replaces an earlier sentinel. */
export const sentinelInputSchema = z.strictObject({
  settle_ms: z.number().int().min(0).max(600_000).optional(),
});
export type SentinelInput = z.infer<typeof sentinelInputSchema>;

/** Thrown until the sentinel has the running jobs. Retry after `waitMs`. */
export class SentinelUnsettled extends Error {
  override readonly name = 'SentinelUnsettled';

  constructor(readonly waitMs: number) {
    super('The sentinel does not know yet which jobs run.');
  }
}

/** The sentinel, for activities. */
export interface Sentinel {
  /**
   * Requests a slot. Returns undefined if it was granted, else the refusal, which names the holders.
   * @throws SentinelUnsettled if the request must be repeated later.
   */
  admit(job: Applicant, limit: number): Promise<ErrorBody | undefined>;
  release(key: JobKey): Promise<void>;
  /**
   * Ends a sentinel that cannot answer, so that the next request starts a new one. Returns the reason, or undefined if
   * it can answer.
   */
  removeWedged(): Promise<string | undefined>;
  /** Records activity in the background, at most once a second. */
  touch(by?: string): void;
  /** Records a call of a tool as activity, at most once a minute. */
  toolCalled(by?: string): void;
  /** Returns the cooldown and the running jobs. It is no activity. */
  observe(): Promise<Observed>;
  /** Returns the operations that ended before this time (ISO 8601) or that Temporal no longer has. */
  endedBefore(operationIds: readonly string[], before: string): Promise<string[]>;
}
