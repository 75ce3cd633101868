import { createHash } from 'node:crypto';
import { mkdirSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { z } from 'zod';
import { gateOf, NO_GATE, type SeenGate } from '../../client';
import type { BulkTurn } from '../../contract/operation';
import { isClosed } from '../../core/bulk/transitions';
import { readConfig } from '../io';

const gateSchema = z.object({
  batch: z.number().optional(),
  attempt: z.number().optional(),
  digest: z.string(),
});

/** Keeps what a status that was shown here asked. Nothing is kept of an operation that has ended. */
export function keepShown(status: BulkTurn): void {
  const { session_id, state } = status;
  if (session_id === undefined) return;
  if (isClosed(state)) forget(session_id);
  else keepAsked(session_id, gateOf(status));
}

/**
 * Keeps which question of a session was put here last: whoever then says yes means that one, also when somebody else
 * has answered it meanwhile. One for each data folder, so windows that share a folder share it. Where the folder takes
 * no file, a yes means the question that is open.
 */
export function keepAsked(sessionId: string, gate: SeenGate = NO_GATE): void {
  const file = fileOf(sessionId);
  try {
    mkdirSync(dirname(file), { recursive: true, mode: 0o700 });
    const draft = `${file}.${process.pid}`;
    writeFileSync(draft, JSON.stringify(gate), { mode: 0o600 });
    renameSync(draft, file);
  } catch {
    // Nothing that a person asked for depends on it.
  }
}

/** The question that was put here last in this session. */
export function lastAsked(sessionId: string): SeenGate | undefined {
  try {
    return gateSchema.parse(JSON.parse(readFileSync(fileOf(sessionId), 'utf8')));
  } catch {
    return undefined;
  }
}

/** An interaction says that somebody is here at most this often; hygiene stays away for much longer. Milliseconds. */
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

function forget(sessionId: string): void {
  try {
    rmSync(fileOf(sessionId), { force: true });
  } catch {
    // As above.
  }
}

function fileOf(sessionId: string): string {
  const name = createHash('sha256').update(sessionId).digest('hex');
  return join(readConfig().dataDir, 'shown', `${name}.json`);
}
