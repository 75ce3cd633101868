import type { Role } from '../../contract/access';
import type {
  AssistantInput,
  AssistantMessage,
  AssistantStatus,
  Entry,
  ModelCall,
  Outcome,
  TurnLimits,
  TurnState,
  TurnView,
  CallView,
} from '../../contract/assistant';
import { BatchgateError, type ErrorBody } from '../../contract/errors';
import { isMacroRun } from '../../contract/job-ids';
import { closingEntries, type End } from './closing';
import { tokensOf, withoutExcess } from './history';
import { bytesOf, fittingLast, withinBytes } from '../shared/bounds';
import { iso } from '../bulk/view';

/** A message or event that waits for its turn. `role`: the one of its sender, or of the latest message's sender. */
interface Incoming {
  about: 'message' | 'outcome';
  number: number;
  text: string;
  role?: Role | undefined;
  /** The time zone of the same sender. */
  zone?: string | undefined;
}

/** A call that has a result. `unknown`: its effect is unknown. */
export type CallRow = CallView & { read_only: boolean; unknown?: true };

/** The running turn. */
export interface Turn {
  number: number;
  about: Incoming['about'];
  text: string;
  role?: Role | undefined;
  zone?: string | undefined;
  state: TurnState;
  /** Unset until the profile has been read. */
  limits?: TurnLimits;
  /** The turn was stopped while the first of the pending calls was running. */
  interrupted?: true;
  steps: number;
  calls: number;
  /** The categories whose tools the model chose; empty before that. */
  categories: string[];
  /** The categories at the time of the model's latest calls: the tools that it was offered then. */
  offered?: string[];
  /** Calls that the model asked for and that have no result yet, in their order. */
  pending: ModelCall[];
  /** The failures of a call, by its digest: how often it failed, and whether its effect is unknown. */
  troubles: Record<string, { failed: number; unknown?: true }>;
  log: CallRow[];
  operations: string[];
  answer?: string;
  asked?: { digest: string };
  proposed?: string;
  error?: ErrorBody;
}

/** The whole state of an assistant: JSON, carried over by continue-as-new. Times are milliseconds. */
export interface Session {
  session_id: string;
  profile?: string;
  state: AssistantStatus['state'];
  error?: ErrorBody;
  entries: Entry[];
  turn?: Turn;
  /** The latest turns that have ended. */
  past: TurnView[];
  queue: Incoming[];
  /** The role of the latest message's sender. */
  role?: Role | undefined;
  zone?: string | undefined;
  /** The turns of the latest messages, by message id. */
  heard: [message_id: string, turn: number][];
  turns: number;
  /** The turn that a person has stopped. */
  stopped?: number;
  /** Operations and macros that it started and whose end it has not seen; an attempt to start counts. */
  operations: string[];
  /** Those of them that are known to be live. */
  watched: string[];
  /** Those that may not exist: the call that starts them has no answer. */
  unsure?: string[];
  tokens: { input: number; output: number };
  idle_seconds?: number;
  created_at: number;
  updated_at: number;
}

/** Less than the 2 MB that Temporal accepts. */
const MAX_CARRIED_BYTES = 1_900_000;

/** Whether the next run can take it over. If not, it soon can: large parts are condensed, answered or dropped. */
export const canBeCarried = (session: Session): boolean => bytesOf(session) <= MAX_CARRIED_BYTES;

/** An assistant in this state accepts no more messages. */
export const isOver = (state: AssistantStatus['state']): boolean =>
  state === 'cleared' || state === 'cancelled' || state === 'rejected';

const KEPT_TURNS = 20;
const MAX_PAST_BYTES = 300_000;
const KEPT_HEARD = 300;
const KEPT_OPERATIONS = 100;
const MAX_WAITING = 20;
/** The length to which lists cut a turn's message and answer. */
export const SHOWN_TEXT_BYTES = 2_000;
export const SHOWN_ANSWER_BYTES = 16_000;

export function beginSession({ session_id, profile }: AssistantInput, now: number): Session {
  return {
    ...{ session_id, state: 'idle', entries: [], past: [], queue: [], heard: [], turns: 0 },
    profile,
    ...{ operations: [], watched: [], tokens: { input: 0, output: 0 }, created_at: now, updated_at: now },
  };
}

/** The turn of a message that was delivered before. */
function heardBefore({ heard }: Session, messageId: string | undefined): number | undefined {
  return messageId === undefined ? undefined : heard.find(([id]) => id === messageId)?.[1];
}

/** Queues a message. @throws BatchgateError `RATE_LIMITED` when too many wait. */
export function receive(
  session: Session,
  { text, message_id, role, zone }: AssistantMessage,
  now: number,
): { session: Session; turn: number } {
  const before = heardBefore(session, message_id);
  if (before !== undefined) return { session, turn: before };
  const waiting = session.queue.length;
  const isFull = waiting > 0 && bytesOf(session.queue) + bytesOf(text) > MAX_QUEUE_BYTES;
  if (isFull || waiting >= MAX_WAITING) throw tooMany(waiting);
  const number = session.turns + 1;
  const messages: Session['heard'] =
    message_id === undefined ? session.heard : [...session.heard, [message_id, number]];
  return {
    turn: number,
    session: {
      ...session,
      turns: number,
      heard: messages.slice(-KEPT_HEARD),
      queue: [...session.queue, { about: 'message', number, text, role, zone }],
      ...{ role, zone },
      updated_at: now,
    },
  };
}

const MAX_QUEUE_BYTES = 800_000;

const tooMany = (waiting: number) =>
  new BatchgateError(
    'RATE_LIMITED',
    `${waiting} messages wait for the assistant already.`,
    'Wait for its answer, or stop its turn.',
  );

/** Queues the end of an operation, whose result the assistant then reports. */
export function hearOutcome(session: Session, { operation_id, sentence }: Outcome, now: number): Session {
  const number = session.turns + 1;
  const what = isMacroRun(operation_id) ? 'macro run' : 'operation';
  const text = `The ${what} ${operation_id} has ended: ${sentence}`;
  return {
    ...withoutOperation(session, operation_id),
    turns: number,
    queue: [...session.queue, { about: 'outcome', number, text, role: session.role, zone: session.zone }],
    updated_at: now,
  };
}

/** The session without an operation that has ended, or that was never started. */
export function withoutOperation(session: Session, id: string): Session {
  const { operations, watched, unsure } = session;
  const others = (ids: string[]) => ids.filter((other) => other !== id);
  return {
    ...session,
    ...{ operations: others(operations), watched: others(watched) },
    ...(unsure && { unsure: others(unsure) }),
  };
}

/** Records a start. Called before the call is made, because the operation asks for its slot during the call. */
export function noteStart(session: Session, operationId: string): Session {
  const others = session.operations.filter((id) => id !== operationId);
  return { ...session, operations: [...others, operationId].slice(-KEPT_OPERATIONS) };
}

/** Records that the turn was stopped during the first of its pending calls. */
export function interruptCall(session: Session): Session {
  const { turn } = session;
  return turn ? { ...session, turn: { ...turn, interrupted: true } } : session;
}

/** Watches the job that a call may have started: the call has no answer. */
export function watchUnsure(session: Session, started: string | undefined): Session {
  const { watched, unsure = [] } = session;
  if (started === undefined) return session;
  return { ...session, watched: [...watched, started], unsure: [...unsure, started] };
}

export function beginTurn(session: Session, now: number): Session {
  const [next, ...queue] = session.queue;
  if (!next || session.turn) return session;
  const turn = newTurn(next, 'working');
  return { ...session, state: 'working', queue, turn, updated_at: now };
}

function newTurn(about: Incoming, state: TurnState): Turn {
  const counters = { steps: 0, calls: 0, categories: [], pending: [], troubles: {}, log: [] };
  return { ...about, state, ...counters, operations: [] };
}

/** Stops a running or waiting turn; by default the running one. */
export function stopTurn(session: Session, number: number | undefined, now: number): Session {
  const { turn, queue } = session;
  const stopped = number ?? turn?.number;
  if (stopped === undefined) return session;
  if (stopped === turn?.number) return { ...session, stopped };
  const waiting = queue.find((message) => message.number === stopped && message.about === 'message');
  if (!waiting) return session;
  const past = withPast(session, newTurn(waiting, 'stopped'));
  return { ...session, queue: queue.filter((message) => message !== waiting), past, updated_at: now };
}

/** Ends the turn. Each of its remaining calls gets a result. */
export function endTurn(session: Session, { by, ...how }: End, now: number): Session {
  const { turn } = session;
  if (!turn) return session;
  const entries = [...session.entries, ...closingEntries(turn, { by, ...how })];
  const { turn: _, stopped: __, ...rest } = session;
  return {
    ...rest,
    state: 'idle',
    entries: withoutExcess(entries),
    past: withPast(session, { ...turn, ...how, pending: [] }),
    ...(turn.limits && { idle_seconds: turn.limits.idle_seconds }),
    updated_at: now,
  };
}

/** Adds the turn that has ended. The oldest turns are dropped if all of them are too large for a payload. */
function withPast({ past }: Session, over: Turn): TurnView[] {
  const view = viewOf(over);
  return [...fittingLast(past, MAX_PAST_BYTES - bytesOf(view)), view].slice(-KEPT_TURNS);
}

export function statusOf(session: Session): AssistantStatus {
  const { session_id, profile, state, error, past, turn, queue, watched, tokens } = session;
  return {
    session_id,
    profile,
    state,
    error,
    // The turn has not ended until each of its calls has a result, regardless of its final state.
    turns: [...past, ...(turn ? [{ ...viewOf(turn), state: 'working' as const }] : [])],
    waiting: queue.length,
    operations: watched.filter((id) => !isMacroRun(id)),
    context_tokens: tokensOf(session.entries),
    tokens,
    created_at: iso(session.created_at),
    updated_at: iso(session.updated_at),
  };
}

function viewOf(turn: Turn): TurnView {
  const { number, about, text, state, answer, asked, operations, steps, calls, limits, log, pending, error } =
    turn;
  const running = pending.slice(0, 1).map(({ tool }): CallView => ({ tool, state: 'running' }));
  return {
    ...{ number, about, text: withinBytes(text, SHOWN_TEXT_BYTES), state, operations, steps },
    ...(answer !== undefined && { answer: withinBytes(answer, SHOWN_ANSWER_BYTES) }),
    asked,
    proposed: turn.proposed,
    calls: [...log.map(({ read_only: _, unknown: __, ...call }) => call), ...running],
    steps_left: Math.max(0, (limits?.steps ?? 0) - steps),
    calls_left: Math.max(0, (limits?.calls ?? 0) - calls),
    error,
  };
}
