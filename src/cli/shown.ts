import { createHash } from 'node:crypto';
import { mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { z } from 'zod';
import { loadConfig } from '../config';
import type { BulkStatus } from '../contract/operation';

const gateSchema = z.object({ batch: z.number(), attempt: z.number(), digest: z.string() });
type Gate = z.infer<typeof gateSchema>;

/**
 * Keeps which question of a session was shown here last: whoever then says yes means that one, also when another
 * window has answered it meanwhile. Where the folder takes no file, a yes means the question that is open.
 */
export function keepShown({ session_id, next_batch: gate }: BulkStatus): void {
  if (session_id === undefined) return;
  const file = fileOf(session_id);
  try {
    if (!gate) return rmSync(file, { force: true });
    mkdirSync(join(file, '..'), { recursive: true });
    const { number: batch, attempt, digest } = gate;
    const draft = `${file}.${process.pid}`;
    writeFileSync(draft, JSON.stringify({ batch, attempt, digest } satisfies Gate));
    renameSync(draft, file);
  } catch {
    // Nothing that a person asked for depends on it.
  }
}

/** The question that was shown here last in this session. */
export function lastShown(sessionId: string): Gate | undefined {
  try {
    return gateSchema.parse(JSON.parse(readFileSync(fileOf(sessionId), 'utf8')));
  } catch {
    return undefined;
  }
}

function fileOf(sessionId: string): string {
  const name = createHash('sha256').update(sessionId).digest('hex');
  return join(loadConfig().dataDir, 'shown', `${name}.json`);
}
