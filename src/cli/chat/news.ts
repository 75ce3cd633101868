import { setTimeout as pause } from 'node:timers/promises';
import type { Client } from '@temporalio/client';
import {
  findAssistant,
  getBulkStatus,
  getMacroTurn,
  macroQuestionSeen,
  unlessMissing,
  watchChanges,
  watchOperation,
  type SeenGate,
} from '../../client';
import { assistantId, type TurnView } from '../../contract/assistant';
import type { BulkStatus, OperationEvent } from '../../contract/operation';
import { isClosed, needsConfirmation } from '../../core/bulk/transitions';

/** The part of a session that a person has seen. */
export interface Shown {
  client: Client;
  session: string;
  /** The turns of the assistant, by number. */
  told: Set<number>;
  /** The operation whose question is on the screen. */
  operation?: BulkStatus | undefined;
  /** The last question to the person. */
  asked?: SeenGate | undefined;
  /** The session's macro, and the operations that were shown. */
  macro?: string | undefined;
  begun: Set<string>;
}

/** An event in the session that the person did not cause here. `begun`: a macro started the operation. */
export type News =
  { turn: TurnView } | { operation: BulkStatus; begun?: true } | { question: string; asked: SeenGate };

const AGAIN_MS = 1_000;

/** The next event from elsewhere; undefined once `signal` is aborted. */
export async function nextNews(view: Shown, signal: AbortSignal): Promise<News | undefined> {
  while (!signal.aborted) {
    const round = new AbortController();
    const either = AbortSignal.any([signal, round.signal]);
    try {
      return await Promise.race([
        nextTurn(view, either),
        nextChange(view, either),
        nextOfMacro(view, either),
      ]);
    } catch {
      // The server or the worker is unreachable. Events are reported once it is back.
      await pause(AGAIN_MS, undefined, { signal }).catch(() => undefined);
    } finally {
      round.abort();
    }
  }
  return undefined;
}

async function nextTurn({ client, session, told }: Shown, signal: AbortSignal): Promise<News | undefined> {
  try {
    const changes = watchChanges(client, assistantId(session), signal);
    while (!(await changes.next()).done) {
      const assistant = await findAssistant(client, session);
      const turn = assistant?.turns.find(({ number }) => !told.has(number));
      if (turn) return { turn };
    }
  } catch (error) {
    unlessMissing(error);
  }
  // There is no assistant, or it has ended.
  return whenAborted(signal);
}

/** Waits for a question of the person's macro, from the macro itself or from an operation that it started. */
async function nextOfMacro(
  { client, macro, asked, begun, operation }: Shown,
  signal: AbortSignal,
): Promise<News | undefined> {
  if (macro === undefined || operation) return whenAborted(signal);
  const changes = watchChanges(client, macro, signal);
  while (!(await changes.next()).done) {
    const { operations = [], questions = [] } = await getMacroTurn(client, macro);
    const id = operations.find((operationId) => !begun.has(operationId));
    if (id !== undefined) return { operation: await prepared(client, id, signal), begun: true };
    const [question] = questions;
    const gate = question && macroQuestionSeen(macro, question);
    if (gate && gate.digest !== asked?.digest) return { question: question.prompt, asked: gate };
  }
  return whenAborted(signal);
}

async function prepared(client: Client, operationId: string, signal: AbortSignal): Promise<BulkStatus> {
  for await (const event of watchOperation(client, operationId, signal))
    if (event !== 'caught_up' && event.state !== 'preparing') break;
  return getBulkStatus(client, operationId);
}

/** Waits until the open question is answered elsewhere, or the operation ends. */
async function nextChange({ client, operation }: Shown, signal: AbortSignal): Promise<News | undefined> {
  if (operation === undefined) return whenAborted(signal);
  let latest: OperationEvent | undefined;
  let caughtUp = false;
  for await (const event of watchOperation(client, operation.operation_id, signal)) {
    if (event === 'caught_up') caughtUp = true;
    else latest = event;
    if (!caughtUp || !latest || !isNews(operation, latest)) continue;
    return { operation: await getBulkStatus(client, operation.operation_id) };
  }
  return whenAborted(signal);
}

function isNews({ state: before, next_batch: batch }: BulkStatus, { state, gate }: OperationEvent): boolean {
  if (isClosed(state)) return true;
  if (!needsConfirmation(state)) return false;
  return state !== before || gate?.batch !== batch?.number || gate?.attempt !== batch?.attempt;
}

function whenAborted(signal: AbortSignal): Promise<undefined> {
  return new Promise((resolve) => {
    if (signal.aborted) resolve(undefined);
    else signal.addEventListener('abort', () => resolve(undefined), { once: true });
  });
}
