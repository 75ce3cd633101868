import { createHash } from 'node:crypto';
import { mkdirSync, readdirSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { z } from 'zod';
import { gateOf, NO_GATE, type DecisionOptions, type SeenGate } from '../../client';
import type { BulkTurn } from '../../contract/operation';
import { isClosed } from '../../core/bulk/transitions';
import { io, readConfig } from '../io';
import { originOf } from '../origin';

const gateSchema = z.object({
  batch: z.number().optional(),
  attempt: z.number().optional(),
  digest: z.string(),
});

/**
 * The questions shown last, newest first. `at` and `since` are in milliseconds since the epoch; `since` is when the
 * question was first printed for a person.
 */
const shownSchema = z.array(z.object({ gate: gateSchema, at: z.number(), since: z.number().optional() }));

/** More questions than the windows of one person print while a command starts. */
const KEPT = 8;
/** Milliseconds. */
const OLD_MS = 7 * 86_400_000;

/**
 * Records the question of a status that was shown here, or that its operation has ended. `asJson`: shown to a program.
 */
export function keepShown(status: BulkTurn, asJson = false): void {
  const { operation_id, session_id, state } = status;
  const gate = gateOf(status);
  if (isClosed(state)) {
    keepEnd(operationFile(operation_id), asJson);
    if (session_id !== undefined) keepEnd(sessionFile(session_id), asJson);
    return;
  }
  // A running batch has no question: a repeated confirmation is still for the previous one.
  if (gate) keep(operationFile(operation_id), gate, asJson);
  if (session_id !== undefined) keepAsked(session_id, gate, asJson);
}

/** Records the last question of a session that was shown here. */
export function keepAsked(sessionId: string, gate: SeenGate = NO_GATE, asJson = false): void {
  keep(sessionFile(sessionId), gate, asJson);
}

/** The last question of this session that was shown here before this command was started. */
export function lastAsked(sessionId: string): SeenGate | undefined {
  return readByNow(sessionFile(sessionId));
}

/** The last question of this operation that was shown here before this command was started. */
export function lastShown(operationId: string): SeenGate {
  return readByNow(operationFile(operationId)) ?? NO_GATE;
}

/**
 * Records a question. A yes answers the last recorded one, even if another person has answered it meanwhile. Windows
 * that share a data folder share the records. If the folder cannot be written, no question counts as shown.
 */
function keep(file: string, gate: SeenGate, asJson = false): void {
  try {
    mkdirSync(dirname(file), { recursive: true, mode: 0o700 });
    const draft = `${file}.${process.pid}`;
    const [at, before] = [Date.now(), read(file)];
    const since =
      before.find((entry) => entry.gate.digest === gate.digest)?.since ?? (asJson ? undefined : at);
    const entries = [{ gate, at, since }, ...before].slice(0, KEPT);
    writeFileSync(draft, JSON.stringify(entries), { mode: 0o600 });
    renameSync(draft, file);
  } catch {
    // No request of a person depends on it.
  }
}

/** A command or a message that was typed before the end is still for the question printed then. */
function keepEnd(file: string, asJson: boolean): void {
  const [latest] = read(file);
  if (latest === undefined || latest.gate.digest === NO_GATE.digest) return;
  keep(file, NO_GATE, asJson);
  sweep(dirname(file));
}

/** Deletes records that no window needs. Without one, a decision is answered with the question. */
function sweep(folder: string): void {
  try {
    for (const file of readdirSync(folder).map((name) => join(folder, name)))
      if (Date.now() - (statSync(file, { throwIfNoEntry: false })?.mtimeMs ?? Infinity) > OLD_MS)
        forget(file);
  } catch {
    // No request of a person depends on it.
  }
}

function read(file: string): z.infer<typeof shownSchema> {
  try {
    return shownSchema.parse(JSON.parse(readFileSync(file, 'utf8')));
  } catch {
    return [];
  }
}

/** A command typed again while the first one runs is for the previous question, not for the next one. */
const readByNow = (file: string): SeenGate | undefined => read(file).find(({ at }) => at <= io().begun)?.gate;

/** The options of a decision at the terminal. `shown` returns since when the question was printed, unless as JSON. */
export const atTerminal: DecisionOptions = {
  door: 'terminal',
  shown: (operationId) => printedIn(operationFile(operationId)),
  origin: () => originOf(readConfig()),
};
/** The options of an answer in a conversation. */
export const inConversation = (sessionId: string): DecisionOptions => ({
  ...atTerminal,
  shown: () => printedIn(sessionFile(sessionId)),
});

function printedIn(file: string) {
  const [latest] = read(file);
  return latest?.since === undefined ? undefined : { digest: latest.gate.digest, since: latest.since };
}

/** The shortest time between two records of activity, in milliseconds. Each holds hygiene off for much longer. */
const ACTIVITY_EVERY_MS = 60_000;

/** Calls `signal` unless an interaction over this data folder did within the last minute. */
export async function sayActivity(signal: () => Promise<void>): Promise<void> {
  const file = join(readConfig().dataDir, 'shown', 'active');
  if (Date.now() - (statSync(file, { throwIfNoEntry: false })?.mtimeMs ?? 0) < ACTIVITY_EVERY_MS) return;
  try {
    await signal();
    mkdirSync(dirname(file), { recursive: true, mode: 0o700 });
    writeFileSync(file, '', { mode: 0o600 });
  } catch {
    // No request of a person depends on it.
  }
}

function forget(file: string): void {
  try {
    rmSync(file, { force: true });
  } catch {
    // No request of a person depends on it.
  }
}

const sessionFile = (sessionId: string): string => fileOf(sessionId);
const operationFile = (operationId: string): string => fileOf(`operation ${operationId}`);

function fileOf(text: string): string {
  const name = createHash('sha256').update(text).digest('hex');
  return join(readConfig().dataDir, 'shown', `${name}.json`);
}
