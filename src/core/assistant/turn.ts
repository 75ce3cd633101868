import type {
  CallFailure,
  Condensed,
  Entry,
  Heard,
  ModelCall,
  Proposal,
  Thought,
  Used,
} from '../../contract/assistant';
import type { ErrorBody } from '../../contract/errors';
import { shortened } from '../../contract/text';
import { unreadableArguments } from '../gateway/errors';
import { bytesOf, withinBytes } from '../shared/bounds';
import { digestOf } from '../shared/canonical';
import { asideOf, foldable, keptRequest, MAX_CONTEXT_BYTES, tokensOf } from './history';
import { excessCall, repeatedUnknown, sayEnd, unusableCall, type EndReason } from './recovery';
import { ASK_TOOL, ROUTE_TOOL, readQuestion, readRoute } from './routing';
import {
  endTurn,
  SHOWN_ANSWER_BYTES,
  SHOWN_TEXT_BYTES,
  type CallRow,
  type Session,
  type Turn,
} from './session';
import { sentences } from '../shared/plain-text';

/** The next action of an assistant. */
export type Move =
  | { do: 'rest' }
  | { do: 'stop' }
  | { do: 'hear'; turn: Turn }
  | { do: 'condense'; entries: Entry[]; turn: Turn }
  | { do: 'think'; turn: Turn }
  | { do: 'use'; call: ModelCall; turn: Turn }
  | { do: 'end'; because: EndReason };

export function nextMove(session: Session): Move {
  const { turn } = session;
  if (!turn) return { do: 'rest' };
  if (session.stopped === turn.number) return { do: 'stop' };
  const { limits, pending, steps } = turn;
  if (!limits) return { do: 'hear', turn };
  const [call] = pending;
  if (call) return { do: 'use', call, turn };
  if (steps >= limits.steps) return { do: 'end', because: { kind: 'steps', limit: limits.steps } };
  if (tokensOf(session.entries) <= limits.context_tokens && bytesOf(session.entries) <= MAX_CONTEXT_BYTES)
    return { do: 'think', turn };
  const entries = foldable(session.entries, limits.context_tokens);
  return entries ? { do: 'condense', entries, turn } : { do: 'end', because: { kind: 'context' } };
}

export function afterHearing(session: Session, { limits, entry }: Heard): Session {
  if (!session.turn) return session;
  // The whole text is in the entry, or in the scratchpad.
  const turn = { ...session.turn, limits, text: withinBytes(session.turn.text, SHOWN_TEXT_BYTES) };
  return { ...session, turn, entries: [...session.entries, entry] };
}

/** The originals are kept under the summary's `ref`. The person's current request stays verbatim. */
export function afterCondensing(session: Session, folded: number, { entry, used }: Condensed): Session {
  const condensed = session.entries.slice(0, folded);
  const rest = session.entries.slice(folded);
  const request = keptRequest(condensed, rest);
  return {
    ...session,
    entries: [entry, ...(request ? [request] : []), ...rest],
    tokens: plus(session.tokens, used),
  };
}

const plus = (a: Session['tokens'], b: Session['tokens']) => ({
  input: a.input + b.input,
  output: a.output + b.output,
});

/** Processes the model's answer. Calls over a budget, and calls that must not be repeated, are refused at once. */
export function afterThinking(session: Session, thought: Thought, now: number): Session {
  const { turn } = session;
  if (!turn?.limits) return session;
  const { text, calls, tokens, used } = thought;
  const entry: Entry = { role: 'model', text, calls, tokens };
  // Providers refuse an empty message of the model.
  const isKept = calls.length > 0 || text.trim() !== '';
  const updated: Session = {
    ...session,
    entries: isKept ? [...session.entries, entry] : session.entries,
    tokens: plus(session.tokens, used),
    // The text beside its calls is the answer if the turn ends with them.
    turn: {
      ...turn,
      steps: turn.steps + 1,
      offered: turn.categories,
      ...(text.trim() !== '' && { answer: text }),
    },
    updated_at: now,
  };
  if (calls.length === 0) {
    if (text.trim() !== '') return endTurn(updated, { state: 'answered', answer: text }, now);
    return { ...updated, entries: [...updated.entries, asideOf(EMPTY, 16)] };
  }
  const admitted = calls.reduce((before, call, at) => admitCall(before, call, at), updated);
  return concluded(admitted, now);
}

const EMPTY = 'Your answer was empty. Answer the person, or call a tool.';

function admitCall(session: Session, call: ModelCall, at: number): Session {
  const { turn } = session;
  if (!turn?.limits) return session;
  const own = ownCall(session, turn, call);
  if (own) return own;
  const { calls_per_step, calls } = turn.limits;
  if (at >= calls_per_step) return refuse(session, call, excessCall('step', calls_per_step));
  if (turn.calls >= calls) return refuse(session, call, excessCall('request', calls));
  const unusable = unusableCall(call);
  if (unusable !== undefined) return refuse(session, call, unusable);
  if (turn.troubles[keyOf(call)]?.unknown) return refuse(session, call, repeatedUnknown(call.tool));
  return { ...session, turn: { ...turn, calls: turn.calls + 1, pending: [...turn.pending, call] } };
}

/** The categories of the current step. One that is chosen beside other calls is available from the next step. */
export const offeredCategories = ({ offered, categories }: Turn): string[] => offered ?? categories;

const keyOf = ({ tool, args, unreadable }: ModelCall) => digestOf({ tool, args, unreadable }).slice(0, 32);

/** Runs a call that is not a tool of the gateway: choosing categories, or asking the person. */
function ownCall(session: Session, turn: Turn, call: ModelCall): Session | undefined {
  if (call.tool !== ROUTE_TOOL && call.tool !== ASK_TOOL) return undefined;
  const unusable = unusableCall(call);
  if (unusable !== undefined) return refuse(session, call, unusable);
  if (call.unreadable !== undefined) {
    const { message, hint } = unreadableArguments(call.tool);
    return refuse(session, call, sentences(message, hint));
  }
  if (call.tool === ROUTE_TOOL) {
    const { categories, output } = readRoute(call.args, turn.categories, call.unknown_categories);
    return answered({ ...session, turn: { ...turn, categories } }, call, output);
  }
  const parsed = readQuestion(call.args);
  if ('error' in parsed) return refuse(session, call, parsed.error);
  const answer = besideQuestion(session, turn, parsed.question);
  const asking = { ...session, turn: { ...turn, state: 'asks' as const, answer } };
  return answered(asking, call, { asked: 'The person reads the question; the answer is the next message.' });
}

/** The answer of a turn that asks: the text of the same step, then its questions. */
function besideQuestion({ entries }: Session, { state, answer }: Turn, question: string): string {
  const step = entries.findLast((entry) => entry.role === 'model');
  const text = state === 'working' ? step?.text : answer;
  const room = SHOWN_ANSWER_BYTES - bytesOf(question) - 8;
  if (text === undefined || text.trim() === '' || room < 0) return question;
  return `${withinBytes(text, room)}\n\n${question}`;
}

function answered(session: Session, { id, tool }: ModelCall, output: Used['output'], tokens = 32): Session {
  return { ...session, entries: [...session.entries, { role: 'tool', call_id: id, tool, output, tokens }] };
}

const SAID = 300;
/** The number of the latest rows of a turn that keep their words. */
const SAID_ROWS = 100;

/** Adds a row. Old rows stay, without their words, because events number the rows. */
function withRow(turn: Turn, row: CallRow): Turn {
  const log = [...turn.log, row];
  const old = log.length - SAID_ROWS - 1;
  const { said: _, ...wordless } = log[old] ?? row;
  return { ...turn, log: old < 0 ? log : log.with(old, wordless) };
}

function refuse(session: Session, call: ModelCall, error: string): Session {
  const { turn } = session;
  if (!turn) return session;
  const row = { tool: shortened(call.tool, 64), state: 'refused' as const, said: shortened(error, SAID) };
  const refused = withRow(turn, { ...row, read_only: true });
  return answered({ ...session, turn: refused }, call, { error });
}

/** Ends a turn that asked or waits, once each of its calls has a result. */
function concluded(session: Session, now: number): Session {
  const { turn } = session;
  if (!turn || turn.pending.length > 0 || turn.state === 'working') return session;
  return endTurn(session, { state: turn.state, answer: turn.answer }, now);
}

/** Follows the decision matrix (specification P7 to P10) after a call. */
export function afterUsing(session: Session, call: ModelCall, used: Used, now: number): Session {
  const { turn } = session;
  if (!turn?.limits || turn.pending[0]?.id !== call.id) return session;
  const { failure, operation, proposal } = used;
  const pending = turn.pending.slice(1);
  const tracked = logged(failure ? withTrouble(turn, call, failure) : turn, call, used);
  const fallback = failure && fallbackFor(tracked, call, failure);
  if (fallback) {
    const withIts = (names: string[]) => [...new Set([...names, fallback.category])];
    const categories = withIts(turn.categories);
    const offered = withIts(offeredCategories(turn));
    const tried = { ...tracked, calls: turn.calls + 1, categories, offered };
    return { ...session, turn: { ...tried, pending: [fallback.call, ...pending] } };
  }
  const settled: Turn = { ...tracked, pending };
  const updated = answered({ ...session, turn: settled, updated_at: now }, call, used.output, used.tokens);
  if (failure) return afterFailure(updated, settled, call, failure, now);
  if (proposal) return concluded(afterProposal(updated, settled, proposal), now);
  if (operation === undefined) return concluded(updated, now);
  const waiting: Turn = { ...settled, state: 'waits', operations: [...settled.operations, operation] };
  return concluded({ ...updated, watched: [...updated.watched, operation], turn: waiting }, now);
}

function withTrouble(turn: Turn, call: ModelCall, { outcome_unknown }: CallFailure): Turn {
  const key = keyOf(call);
  const failed = (turn.troubles[key]?.failed ?? 0) + 1;
  const trouble = { failed, ...(outcome_unknown && { unknown: true as const }) };
  return { ...turn, troubles: { ...turn.troubles, [key]: trouble } };
}

const failedTwice = (turn: Turn, call: ModelCall) => (turn.troubles[keyOf(call)]?.failed ?? 0) >= 2;

/** The call that replaces a failed one. Tools may be fallbacks of each other, so it must not have failed itself. */
function fallbackFor(turn: Turn, call: ModelCall, { fallback }: CallFailure) {
  const { calls, limits, troubles } = turn;
  if (!fallback || calls >= (limits?.calls ?? 0) || failedTwice(turn, call)) return undefined;
  const instead: ModelCall = { ...call, tool: fallback.tool, traits: fallback.traits };
  if (troubles[keyOf(instead)]) return undefined;
  return { call: instead, category: fallback.category };
}

/** Ends with the question of a proposal. The person answers the run, whose end begins another turn. */
function afterProposal(session: Session, turn: Turn, { run_id, question, digest }: Proposal): Session {
  const answer = besideQuestion(session, turn, question);
  const asking: Turn = { ...turn, state: 'asks', answer, asked: { digest }, proposed: run_id };
  return { ...session, watched: [...session.watched, run_id], turn: asking };
}

function logged(turn: Turn, call: ModelCall, { failure, output }: Used): Turn {
  const summary = failure?.said ?? JSON.stringify(output);
  const row = {
    tool: shortened(call.tool, 64),
    state: failure ? ('failed' as const) : ('done' as const),
    said: shortened(summary, SAID),
    read_only: call.traits?.read_only ?? false,
    ...(failure?.outcome_unknown && { unknown: true as const }),
  };
  return withRow(turn, row);
}

function afterFailure(
  session: Session,
  turn: Turn,
  call: ModelCall,
  { scenario, outcome_unknown, ref, said }: CallFailure,
  now: number,
): Session {
  if (scenario === 'reference_missing') {
    const what = ref === undefined ? 'Something that I need' : `What I need under '${ref}'`;
    const answer = `${what} is not saved in this session. Please send it, or tell me how to go on without it.`;
    return endTurn(session, { state: 'asks', answer, by: 'batchgate' }, now);
  }
  if (outcome_unknown) return concluded(withoutRepeats(session, keyOf(call)), now);
  if (failedTwice(turn, call)) return giveUp(session, { kind: 'same_failure', tool: call.tool, said }, now);
  return concluded(session, now);
}

/** Refuses the repeats of a call, because one step may contain the same call twice. */
function withoutRepeats(session: Session, key: string): Session {
  const { turn } = session;
  if (!turn) return session;
  const repeats = turn.pending.filter((call) => keyOf(call) === key);
  const pending = turn.pending.filter((call) => keyOf(call) !== key);
  const rest: Session = { ...session, turn: { ...turn, pending } };
  return repeats.reduce((before, call) => refuse(before, call, repeatedUnknown(call.tool)), rest);
}

/** Ends the turn gracefully, with an answer about what was found, done and left open. */
export function giveUp(session: Session, because: EndReason, now: number, error?: ErrorBody): Session {
  const { turn } = session;
  if (!turn) return session;
  const answer = sayEnd(session, turn, because);
  return endTurn(session, { state: 'ended', answer, error, by: 'batchgate' }, now);
}
