import { z } from 'zod';
import type { ErrorBody } from './errors';
import { TASK_QUEUE } from './messages';
import { idSchema, upTo } from './text';

/** How long after any interaction or progress hygiene stays away (specification S4). Milliseconds. */
export const COOLDOWN_MS = 900_000;

/**
 * How long one try of the admission may take; the server refuses its answer afterwards. A bulk operation goes on to plan
 * in the same try: its first heartbeat is refused instead. Milliseconds.
 */
export const ADMISSION_TRY_MS = 5_000;

/**
 * How long a sentinel that takes another one's place waits before it looks at what runs: by then every try that its
 * predecessor may have answered is over, or has said by a heartbeat that it goes on, and lists show all that had started.
 * Milliseconds.
 */
export const SETTLE_MS = ADMISSION_TRY_MS + 2_000;

/** One sentinel for all that runs on a task queue; the product's own is `sentinel`. */
export function sentinelId(taskQueue: string): string {
  return taskQueue === TASK_QUEUE ? 'sentinel' : `sentinel-${taskQueue}`;
}

/** Bounds what the sentinel holds. */
export const MAX_JOB_ID_LENGTH = 150;

/** Also the argument of the signal `release`: the job has ended. */
export const jobKeySchema = z.object({
  /** The workflow id. */
  job_id: idSchema(MAX_JOB_ID_LENGTH),
  /** The first run of its chain: an id may be used again. */
  run_id: idSchema(100),
});
export type JobKey = z.infer<typeof jobKeySchema>;

const jobKindSchema = z.enum(['bulk_operation', 'task_run', 'macro', 'assistant']);
export type JobKind = z.infer<typeof jobKindSchema>;

/** Who asks for a place. */
const applicantSchema = jobKeySchema.extend({
  kind: jobKindSchema,
  session_id: idSchema(150).optional(),
  /** The job that started it and lends it its slot and session; checked with that job before the sentinel is asked. */
  parent: jobKeySchema.optional(),
});
export type Applicant = z.infer<typeof applicantSchema>;

/** A job that holds a place. */
const jobSchema = applicantSchema.extend({ admitted_at: z.iso.datetime() });
export type Job = z.infer<typeof jobSchema>;

/** Update `admit`: asks for a place, with what the asker has found out since the last answer. */
export const admitRequestSchema = z.strictObject({
  job: applicantSchema,
  /** How many jobs may be active. */
  limit: z.number().int().min(1).max(1_000),
  /** Holders that were described and have ended. */
  ended: z.array(jobKeySchema).max(1_000).optional(),
  /** What runs, for the sentinel of this epoch, which does not know yet. */
  seen: z.strictObject({ epoch: z.string(), jobs: z.array(jobSchema).max(2_000) }).optional(),
});
export type AdmitRequest = z.infer<typeof admitRequestSchema>;

/**
 * `limit`, of the refusal for it: how many slots there are for these jobs. Long ids and sessions leave room for fewer
 * than the settings allow. `unsettled`: the holders are not known yet; look at what runs after `wait_ms`, and say it to this `epoch`. */
export type AdmitAnswer =
  | { admitted: true }
  | { admitted: false; because: 'limit' | 'session'; holders: Job[]; limit?: number }
  | { admitted: false; because: 'unsettled'; epoch: string; wait_ms: number };

/** Update and signal `touch`: a person or an agent is active (specification S4). */
export const touchRequestSchema = z.strictObject({
  by: idSchema(150).optional(),
  /** Asks for the job of this session besides. */
  session_id: idSchema(150).optional(),
  /** A message of that session: the same again is about the same job. */
  message_id: idSchema(150).optional(),
});
export type TouchRequest = z.infer<typeof touchRequestSchema>;

/** What a session's last message that decided nothing was answered with, while this question was open. */
const noteSchema = z.strictObject({
  /**
   * `apart`: it was about something else. `asked`: it was asked back. `waits`: a no to that question, and the operation
   * goes on waiting. `shown`: the open question was shown again, so that a bare yes is for it. `proposed`: the reply
   * proposed something else, so that a bare yes is for that.
   */
  said: z.enum(['apart', 'asked', 'waits', 'shown', 'proposed']),
  operation_id: idSchema(1_000),
  /** Of the question that was open; once another one is open, the note says nothing. Empty where none was. */
  digest: upTo(128),
  /** The places in the batch, from 0, of the items that the question was about to leave out. */
  exclude: z.array(z.number().int().min(0)).max(1_000).optional(),
  /** A message limited the batch in a way that was not understood: a bare yes does not confirm all of it. */
  limited: z.literal(true).optional(),
});
export type Note = z.infer<typeof noteSchema>;

/** Signal `note`: keeps what a message was answered with. The same message again keeps its first note. */
export const noteRequestSchema = noteSchema.extend({
  session_id: idSchema(150),
  message_id: idSchema(150).optional(),
});
export type NoteRequest = z.infer<typeof noteRequestSchema>;

/** Whether hygiene is kept away, until when, and by whom last (specification S6). */
export interface Cooldown {
  active: boolean;
  cron_pause_until: string;
  last_activity_at: string;
  by?: string;
}

/** `job`: that of the session that was asked for. `settled`: false while the sentinel does not know what runs. */
export interface TouchAnswer extends Cooldown {
  settled: boolean;
  job?: Job;
  /** The message came before: the id of the job that it was about then, empty where there was none. */
  heard_of?: string;
  /** Notes from before then are lost; absent where none are. */
  remembers_since?: string;
  /** The latest note of the session; for a message that came before, as it was then. */
  note?: Note;
  /** The message came before, and this was its answer. */
  answered?: Note;
}

/** Query `overview`: all that hygiene asks, of one moment. `settled` as in a TouchAnswer. */
export interface SentinelOverview {
  settled: boolean;
  cooldown: Cooldown;
  jobs: Job[];
}

/** What hygiene is told of the sentinel, without having touched it. */
export interface Observed {
  /** Hygiene is held off until then; undefined where there was never any activity. */
  paused_until?: string;
  /** The jobs that live; undefined while the sentinel does not know what runs. */
  jobs?: Job[];
}

/** How the workflow `sentinel` begins; by default it takes another one's place. */
export const sentinelInputSchema = z.strictObject({
  settle_ms: z.number().int().min(0).max(600_000).optional(),
});
export type SentinelInput = z.infer<typeof sentinelInputSchema>;

/** The sentinel did not know yet what runs; ask again after `waitMs`. */
export class SentinelUnsettled extends Error {
  override readonly name = 'SentinelUnsettled';

  constructor(readonly waitMs: number) {
    super('The sentinel does not know yet which jobs run.');
  }
}

/** The sentinel as activities see it. */
export interface Sentinel {
  /**
   * Asks for a place. Undefined when it was given, else the refusal, which names the holders.
   * @throws SentinelUnsettled when it has to be asked again later.
   */
  admit(job: Applicant, limit: number): Promise<ErrorBody | undefined>;
  release(key: JobKey): Promise<void>;
  /** Ends a sentinel that cannot answer, so that the next request starts it anew; answers why, or undefined. */
  removeWedged(): Promise<string | undefined>;
  /** Says that something goes on; of many within a second the first, and nobody waits for it. */
  touch(by?: string): void;
  /** The same for a call of a tool, at most once a minute. */
  toolCalled(by?: string): void;
  /** Looks at the cooldown and at what runs. It is no interaction. */
  observe(): Promise<Observed>;
  /** Those of these operations that ended before then (ISO 8601), or that Temporal does not know any more. */
  endedBefore(operationIds: readonly string[], before: string): Promise<string[]>;
}
