import { randomUUID } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import type { Client } from '@temporalio/client';
import {
  findAssistant,
  followTurn,
  gateOf,
  getBulkStatus,
  getJobs,
  getStatusAfter,
  NO_GATE,
  openQuestions,
  sayInSession,
  stopAssistant,
  type Said,
  type SeenGate,
  type Turn,
} from '../../client';
import type { TurnView } from '../../contract/assistant';
import { BatchgateError } from '../../contract/errors';
import type { BulkStatus } from '../../contract/operation';
import { isUnread } from '../../core/approval/selection';
import { presentBatchItems, presentBulkStatus } from '../../core/bulk/presenter';
import { isClosed } from '../../core/bulk/transitions';
import { oneLine, visibleText } from '../../core/shared/plain-text';
import { fail, localReader, note, print, printJson } from '../output';
import { bold } from '../style';
import { atTerminal, keepShown } from '../operation/shown-gate';
import { leaveBars, showsBars, withBars } from '../watch/bars';
import { nextNews, type Shown } from './news';
import { restorationLines } from './restoration';
import { io } from '../io';

interface TalkOptions {
  session: string;
  task_queue: string;
  json: boolean;
  profile?: string;
}

/** One conversation at a terminal. */
export interface Talk {
  /** Shows the open questions, and follows a turn that is still running. */
  restore(): Promise<void>;
  /** `at`: when the line was read, in milliseconds. */
  say(line: string, at: number): Promise<void>;
  /** Reports the events of the session until it is stopped. A report that has begun is completed. */
  listen(): { stop(): Promise<void> };
  /** Stops the running turn; false if there is none. */
  stop(): boolean;
  /** The operation whose question was shown last and is still open. */
  waiting(): BulkStatus | undefined;
  /** Prints the operation that still waits. */
  leave(): void;
}

const DELIVERY_MS = 120_000;
const OUTCOME_MS = 20_000;
const LOOK_MS = 150;
const AGAIN_MS = 1_000;

export function createTalk(client: Client, options: TalkOptions): Talk {
  const state: Conversation = { client, told: new Set(), begun: new Set(), ...options };
  return {
    restore: () => patiently(() => restore(state), 'looking again'),
    say: (line, at) => say(state, line, at),
    listen() {
      const stop = new AbortController();
      const over = listen(state, stop.signal);
      return { stop: () => (stop.abort(), over) };
    },
    stop() {
      if (state.following === undefined) return false;
      void stopAssistant(client, state.session, state.following).catch(() => undefined);
      return true;
    },
    waiting: () => state.operation,
    leave() {
      if (state.operation === undefined) return;
      note(`Still waiting for your answer: ${oneLine(state.operation.operation_id)}`);
      note(`Go on with \`npx batchgate chat --session ${oneLine(state.session)}\`.`);
    },
  };
}

interface Conversation extends TalkOptions, Shown {
  /** The previous question and the time of the change, if the question changed while the person was idle. */
  before?: { asked: SeenGate | undefined; at: number } | undefined;
  /** The running turn. */
  following?: number | undefined;
}

async function restore(state: Conversation): Promise<void> {
  const { client, session, task_queue } = state;
  const assistant = await findAssistant(client, session);
  const waiting = await openQuestions(client, assistant?.operations ?? []);
  const jobs = (await getJobs(client, task_queue)).filter((job) => job.session_id === session);
  const open = jobs.find(({ kind }) => kind === 'bulk_operation');
  const status = open && (await getBulkStatus(client, open.job_id));
  if (assistant && assistant.turns.length > 0)
    restorationLines(assistant, waiting).forEach((line) => note(line));
  assistant?.turns.forEach(({ number }) => state.told.add(number));
  state.asked = assistant?.turns.at(-1)?.asked;
  state.macro = jobs.find(({ kind }) => kind === 'macro')?.job_id;
  const working = assistant?.turns.find((turn) => turn.state === 'working');
  if (working && assistant?.state === 'working') await follow(state, working.number);
  if (status && state.operation === undefined) show(state, status);
}

async function say(state: Conversation, line: string, at: number): Promise<void> {
  const before = state.operation;
  const bars = showsBars(state.json) ? before : undefined;
  try {
    const delivery = await withBars(state.client, bars, () => deliver(state, line, at));
    if (delivery.to === 'assistant') await follow(state, delivery.number);
    else await hearAnswer(state, delivery.turn, before);
  } catch (error) {
    fail(error, state.json);
  }
}

/** Sends a message, again while no worker accepts it. It keeps its id, so that it counts once. */
async function deliver(state: Conversation, line: string, at: number): Promise<Said> {
  const { client, session, profile, task_queue } = state;
  const gate = askedAt(state, at);
  const context = {
    ...{ message_id: randomUUID(), task_queue, by: 'terminal', seen: gate ?? NO_GATE },
    ...atTerminal,
    profile,
  };
  return patiently(() => sayInSession(client, session, line, context), 'the message is sent again');
}

async function patiently<T>(work: () => Promise<T>, then: string): Promise<T> {
  for (const until = Date.now() + DELIVERY_MS; ; await pause(AGAIN_MS)) {
    try {
      return await work();
    } catch (error) {
      const again = error instanceof BatchgateError && error.code === 'TEMPORAL_UNAVAILABLE';
      if (!again || Date.now() >= until) throw error;
      note(`No worker answers; ${then}.`);
    }
  }
}

/** The question that a line answers. A line that arrives just after a new question appeared is for the previous one. */
function askedAt({ asked, before }: Conversation, at: number): SeenGate | undefined {
  return before && isUnread(before.at, at) ? before.asked : asked;
}

async function listen(state: Conversation, signal: AbortSignal): Promise<void> {
  for (let news = await nextNews(state, signal); news; news = await nextNews(state, signal)) {
    if ('turn' in news) {
      const { about, text, number } = news.turn;
      if (about === 'message') note(`Said elsewhere: ${oneLine(text)}`);
      await follow(state, number);
      continue;
    }
    const { asked } = state;
    if ('question' in news) {
      print(visibleText(news.question));
      state.asked = news.asked;
    } else {
      note(news.begun ? 'The macro asks:' : happened(news.operation, state.operation));
      show(state, news.operation);
    }
    state.before = { asked, at: Date.now() };
  }
}

function happened({ state, confirmations }: BulkStatus, before: BulkStatus | undefined): string {
  if (state === 'expired' || before?.state === 'preparing') return 'Meanwhile:';
  const by = confirmations.findLast(({ outcome }) => outcome === 'accepted')?.by;
  return `Answered elsewhere${by === undefined ? '' : ` by ${oneLine(by)}`}:`;
}

async function follow(state: Conversation, number: number): Promise<void> {
  state.told.add(number);
  state.following = number;
  const typing = createTyping(state.json);
  let warned = false;
  try {
    for await (const event of followTurn(state.client, state.session, number)) {
      if ('text' in event) typing.text(visibleText(event.text));
      else if ('turn' in event) await over(state, event.turn, typing);
      else if ('call' in event) {
        if (event.call.state !== 'running')
          typing.aside(`[${oneLine(event.call.tool)}: ${event.call.state}]`);
      } else if (!warned) {
        note('No worker answers; the turn goes on once one does.');
        warned = true;
      }
    }
  } finally {
    state.following = undefined;
  }
}

async function over(state: Conversation, turn: TurnView, typing: Typing): Promise<void> {
  typing.end(turn.answer === undefined ? undefined : visibleText(turn.answer));
  if (state.json) printJson(turn);
  if (turn.state === 'stopped') note('Stopped.');
  if (turn.asked) state.asked = turn.asked;
  for (const id of turn.operations) show(state, await getBulkStatus(state.client, id));
}

/** Shows the result of an answer to an open question. */
async function hearAnswer(state: Conversation, turn: Turn, before?: BulkStatus): Promise<void> {
  const { client, json } = state;
  if (turn.status === undefined) {
    state.asked = turn.asked;
    state.macro = turn.macro?.run_id;
    return json ? printJson(turn) : print(visibleText(turn.reply));
  }
  const after = await getStatusAfter(client, turn.status);
  if (turn.intent === 'continue' && !turn.error && showsBars(json)) leaveBars(after);
  // A refused answer was for another question, so the open one is asked.
  const open = turn.error !== undefined && after.needs_confirmation;
  const sentence = open ? `${turn.reply}\n${presentBulkStatus(after)}` : turn.reply;
  show(state, after, sentence, open ? gateOf(after) : turn.asked);
  if (isClosed(after.state) && before?.operation_id === after.operation_id)
    await followOutcome(state, after.operation_id);
}

function show(
  state: Conversation,
  status: BulkStatus,
  sentence = presentBulkStatus(status),
  gate = gateOf(status),
): void {
  const closed = isClosed(status.state);
  state.begun.add(status.operation_id);
  state.operation = closed ? undefined : status;
  state.asked = closed ? undefined : gate;
  state.before = undefined;
  keepShown(status, state.json);
  if (state.json) return printJson(status);
  const items = presentBatchItems(status, localReader());
  const asks = items !== '' && sentence.includes(presentBulkStatus(status));
  if (asks && !sentence.startsWith(items)) print(items);
  print(status.needs_confirmation ? bold(visibleText(sentence)) : visibleText(sentence));
}

/** Waits for the assistant's report of an operation that it started. */
async function followOutcome(state: Conversation, operationId: string): Promise<void> {
  for (const until = Date.now() + OUTCOME_MS; Date.now() < until; await pause(LOOK_MS)) {
    const assistant = await findAssistant(state.client, state.session);
    const turns = assistant?.turns ?? [];
    const turn = turns.find(({ about, text }) => about === 'outcome' && text.includes(operationId));
    if (turn) return follow(state, turn.number);
    if (!turns.some(({ operations }) => operations.includes(operationId))) return;
  }
}

/** Writes a text as it grows. A step that begins again on another worker begins a new line. */
interface Typing {
  text(soFar: string): void;
  aside(line: string): void;
  end(whole?: string): void;
}

function createTyping(silent: boolean): Typing {
  let current = '';
  const write = (text: string) => {
    if (!silent) io().stdout.write(text);
  };
  const breakLine = () => {
    if (current !== '') write('\n');
    current = '';
  };
  const text = (soFar: string) => {
    if (!soFar.startsWith(current)) breakLine();
    write(soFar.slice(current.length));
    current = soFar;
  };
  return {
    text,
    aside(line) {
      breakLine();
      note(line);
    },
    end(whole) {
      if (whole !== undefined) text(whole);
      breakLine();
    },
  };
}
