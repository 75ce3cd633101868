import {
  allHandlersFinished,
  condition,
  defineQuery,
  defineSignal,
  defineUpdate,
  proxyActivities,
  setCurrentDetails,
  setHandler,
  workflowInfo,
} from '@temporalio/workflow';
import type { BulkActivities } from '../../src/contract/activities';
import { DEFAULT_SETTINGS } from '../../src/contract/settings';
import { QUERIES, SIGNALS, UPDATES } from '../../src/contract/messages';
import {
  admitRequestSchema,
  noteRequestSchema,
  jobKeySchema,
  sentinelInputSchema,
  touchRequestSchema,
  type AdmitAnswer,
  type AdmitRequest,
  type Cooldown,
  type Job,
  type JobKey,
  type NoteRequest,
  type SentinelInput,
  type SentinelOverview,
  type TouchAnswer,
  type TouchRequest,
} from '../../src/contract/sentinel';
import { fitting } from '../../src/core/shared/bounds';
import {
  admit,
  beginSentinel,
  carriedFrom,
  cooldownOf,
  doubtsLimit,
  note,
  overviewOf,
  pausedUntil,
  release,
  stateFrom,
  touch,
  withLimit,
  type CarriedState,
  type SentinelState,
} from '../../src/core/sentinel/state';
import { read } from '../shared/decision-record';
import { handedOver, handOver, isFull } from '../shared/hand-over';
import type { HygieneActivities, HygieneReport } from '../../src/contract/hygiene';
import { decideHygiene, hygieneReport } from '../../src/core/sentinel/hygiene';

/**
 * All callers wait for the sentinel while it is replayed. A message that arrives while it continues as new makes it
 * start that again, and a replay that is slower than its callers would never end.
 */
const EVENTS_PER_RUN = 500;

/** Details may be 20 KB, which is less than this many rows. */
const MAX_ROWS_BYTES = 16_000;
const MAX_ROWS = 500;

/** Temporal accepts 2 MB per answer. Ten thousand jobs may take more. */
const MAX_LISTED_BYTES = 1_800_000;

const admitUpdate = defineUpdate<AdmitAnswer, [AdmitRequest]>(UPDATES.admit);
const touchUpdate = defineUpdate<TouchAnswer, [(TouchRequest | null)?]>(UPDATES.touch);
const touchSignal = defineSignal<[(TouchRequest | null)?]>(SIGNALS.touch);
const noteSignal = defineSignal<[NoteRequest]>(SIGNALS.note);
const releaseSignal = defineSignal<[JobKey]>(SIGNALS.release);
const jobsQuery = defineQuery<Job[]>(QUERIES.jobs);
const cooldownQuery = defineQuery<Cooldown>(QUERIES.cooldown);
const overviewQuery = defineQuery<SentinelOverview>(QUERIES.overview);

/**
 * The job manager (specification S1 to S4): the holders of the slots, one per session, and the time of the last activity. Its
 * handlers wait only for the limit; a client checks itself which holders have ended, and reports them. Only
 * continue-as-new sets `carried`.
 */
export async function sentinel(input?: SentinelInput | null, carried?: CarriedState): Promise<void> {
  const { firstExecutionRunId, startTime } = workflowInfo();
  const former = handedOver(carried);
  const settle_ms = sentinelInputSchema.safeParse(input ?? {}).data?.settle_ms;
  const state = former
    ? stateFrom(former)
    : beginSentinel(firstExecutionRunId, startTime.getTime(), settle_ms);
  const self: Self = { state };
  registerHandlers(self);
  publish(self.state);
  const isOver = () => isFull(EVENTS_PER_RUN);
  while (!isOver()) {
    const remaining = pausedUntil(self.state) - Date.now();
    // The timer lets a query see the end of the cooldown: the workflow's clock stands still between two events.
    if (remaining > 0) await condition(isOver, remaining, { summary: 'End of the cooldown' });
    else await condition(() => isOver() || pausedUntil(self.state) > Date.now());
  }
  await condition(allHandlersFinished);
  await handOver<typeof sentinel>({}, carriedFrom(self.state));
}

const { slotLimit } = proxyActivities<Pick<BulkActivities, 'slotLimit'>>({
  startToCloseTimeout: '2s',
  scheduleToCloseTimeout: '3s',
  summary: 'How many jobs may be active',
});

interface Self {
  state: SentinelState;
  /** Whether the limit is being read. */
  reading?: Promise<void>;
}

function registerHandlers(self: Self): void {
  setHandler(
    admitUpdate,
    async (request) => {
      if (doubtsLimit(self.state, request.limit, Date.now())) await (self.reading ??= readLimit(self));
      const { state, answer } = admit(self.state, request, Date.now());
      become(self, state);
      return answer;
    },
    {
      validator: (request) => void read(admitRequestSchema, request),
      description: 'A place for a job; sent by the job itself',
    },
  );
  setHandler(
    touchUpdate,
    (request) => {
      const { state, answer } = touch(self.state, request ?? {}, Date.now());
      become(self, state);
      return answer;
    },
    {
      validator: (request?: TouchRequest | null) => void read(touchRequestSchema, request ?? {}),
      description: 'Records activity: hygiene stays away for 15 minutes, {"by": "…"}',
    },
  );
  setHandler(touchSignal, (request) => {
    const parsed = touchRequestSchema.safeParse(request ?? {});
    if (parsed.success) become(self, touch(self.state, parsed.data, Date.now()).state);
  });
  setHandler(noteSignal, (request) => {
    const parsed = noteRequestSchema.safeParse(request);
    if (parsed.success) become(self, note(self.state, parsed.data, Date.now()));
  });
  setHandler(releaseSignal, (key) => {
    const parsed = jobKeySchema.safeParse(key);
    if (parsed.success) become(self, release(self.state, parsed.data, Date.now()));
  });
  setHandler(jobsQuery, () => fitting(self.state.holders, MAX_LISTED_BYTES), {
    description: 'The jobs that hold a place, oldest first',
  });
  setHandler(cooldownQuery, () => cooldownOf(self.state, Date.now()), {
    description: 'Whether hygiene is kept away, and until when',
  });
  setHandler(overviewQuery, () => overviewOf(self.state, Date.now()), {
    description: 'Cooldown and jobs of one moment, for hygiene',
  });
}

/** A worker's settings contain the maximum number of active jobs; a caller could claim any number. */
async function readLimit(self: Self): Promise<void> {
  try {
    const limit = await slotLimit();
    // The current state: jobs came and went, and messages were noted, while the limit was read.
    self.state = withLimit(self.state, limit, Date.now());
  } catch {
    // No worker answered in time. The last limit applies, or else the default.
    self.state = withLimit(self.state, self.state.limit ?? DEFAULT_SETTINGS.max_active_jobs, Date.now());
  } finally {
    delete self.reading;
  }
}

function become(self: Self, state: SentinelState): void {
  self.state = state;
  publish(state);
}

/** The sentinel's page in the Temporal UI. A query returns it, so it costs no history. */
function publish({ holders, unsettled_until, ...state }: SentinelState): void {
  const first = holders
    .slice(0, MAX_ROWS)
    .map(
      ({ job_id, kind, session_id = '', admitted_at }) =>
        `| ${[job_id, kind, session_id, admitted_at].map((cell) => cell.replaceAll('|', '\\|')).join(' | ')} |`,
    );
  const rows = fitting(first, MAX_ROWS_BYTES);
  const more = holders.length - rows.length;
  const until = new Date(pausedUntil({ holders, ...state })).toISOString();
  setCurrentDetails(
    [
      `**${holders.length} job(s) are live.** Hygiene is kept away until ${until}.`,
      ...(unsettled_until === undefined ? [] : ['', 'What runs is not known yet, so no job is admitted.']),
      ...(rows.length > 0 ? ['', '| job | kind | session | admitted |', '|---|---|---|---|', ...rows] : []),
      ...(more > 0 ? ['', `And ${more} more: see the query \`jobs\`.`] : []),
    ].join('\n'),
  );
}

const { survey: lookAround } = proxyActivities<Pick<HygieneActivities, 'survey'>>({
  startToCloseTimeout: '1 minute',
  retry: { maximumAttempts: 3 },
  summary: 'Who was here, and what is kept',
});
const { sweep } = proxyActivities<Pick<HygieneActivities, 'sweep'>>({
  startToCloseTimeout: '2 minutes',
  retry: { maximumAttempts: 3 },
  summary: 'A second look, and away with what is idle',
});

/**
 * Drops the scratchpads of idle sessions and stale rows of the ledger, while there is no activity (specification S4
 * and S5). A schedule starts it. It uses only the server's clock, so a worker's clock has no effect.
 */
export async function hygiene(): Promise<HygieneReport> {
  const survey = await lookAround();
  const now = Date.now();
  const decision = decideHygiene(survey, now);
  if (!decision.ran) return hygieneReport(decision);
  const { observed, dropped } = await sweep({ survey, now });
  return hygieneReport(decideHygiene({ ...survey, observed }, now), dropped);
}
