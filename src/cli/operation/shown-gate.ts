import { createHash } from 'node:crypto';
import { mkdirSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs';
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
 * The questions that were shown last, newest first, each with its time in milliseconds since the epoch. `since`: when it
 * was printed for a person the first time.
 */
const shownSchema = z.array(z.object({ gate: gateSchema, at: z.number(), since: z.number().optional() }));

/** More than the windows of one person print while another command starts. */
const KEPT = 8;

/**
 * Remembers the question of a status that was shown here, `asJson` to a program. An operation that has ended is
 * forgotten.
 */
export function keepShown(status: BulkTurn, asJson = false): void {
  const { operation_id, session_id, state } = status;
  const gate = gateOf(status);
  if (isClosed(state)) forget(operationFile(operation_id));
  // A batch that runs is no question: a repeated confirmation is still for the one before it.
  else if (gate) keep(operationFile(operation_id), gate, asJson);
  if (session_id === undefined) return;
  if (isClosed(state)) forget(sessionFile(session_id));
  else keepAsked(session_id, gate, asJson);
}

/** Remembers the last question of a session that was shown here. */
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
 * A yes answers the question that was shown here last, even if someone else has answered it meanwhile. There is one for
 * each data folder, so windows that share a folder share it. If the folder cannot be written, none was shown.
 */
function keep(file: string, gate: SeenGate, asJson = false): void {
  try {
    mkdirSync(dirname(file), { recursive: true, mode: 0o700 });
    const draft = `${file}.${process.pid}`;
    const [at, before] = [Date.now(), read(file)];
    const since = before.find((one) => one.gate.digest === gate.digest)?.since ?? (asJson ? undefined : at);
    const shown = [{ gate, at, since }, ...before].slice(0, KEPT);
    writeFileSync(draft, JSON.stringify(shown), { mode: 0o600 });
    renameSync(draft, file);
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

/** A command that is typed again while the first still runs means the question before, not the one that comes next. */
const readByNow = (file: string): SeenGate | undefined => read(file).find(({ at }) => at <= io().begun)?.gate;

/** A person decides here. Since when the question has been on this screen is known if it was printed, and not as JSON. */
export const atTerminal: DecisionOptions = {
  door: 'terminal',
  shown: (operationId) => printedIn(operationFile(operationId)),
  origin: () => originOf(readConfig()),
};
/** The same for an answer in a conversation. */
export const inConversation = (sessionId: string): DecisionOptions => ({
  ...atTerminal,
  shown: () => printedIn(sessionFile(sessionId)),
});

function printedIn(file: string) {
  const [latest] = read(file);
  return latest?.since === undefined ? undefined : { digest: latest.gate.digest, since: latest.since };
}

/** Interactions record activity at most this often; that holds hygiene off for much longer. Milliseconds. */
const ACTIVITY_EVERY_MS = 60_000;

/** Calls `say` unless an interaction over this data folder did within the last minute. */
export async function sayActivity(say: () => Promise<void>): Promise<void> {
  const file = join(readConfig().dataDir, 'shown', 'active');
  if (Date.now() - (statSync(file, { throwIfNoEntry: false })?.mtimeMs ?? 0) < ACTIVITY_EVERY_MS) return;
  try {
    await say();
    mkdirSync(dirname(file), { recursive: true, mode: 0o700 });
    writeFileSync(file, '', { mode: 0o600 });
  } catch {
    // As above.
  }
}

function forget(file: string): void {
  try {
    rmSync(file, { force: true });
  } catch {
    // As above.
  }
}

const sessionFile = (sessionId: string): string => fileOf(sessionId);
const operationFile = (operationId: string): string => fileOf(`operation ${operationId}`);

function fileOf(text: string): string {
  const name = createHash('sha256').update(text).digest('hex');
  return join(readConfig().dataDir, 'shown', `${name}.json`);
}
