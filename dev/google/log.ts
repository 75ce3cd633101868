import { open, readFile } from 'node:fs/promises';
import { dirname } from 'node:path';
import { z } from 'zod';
import { BatchgateError } from '../../src/contract/errors';

const labelSchema = z.object({ id: z.string(), name: z.string() });

export const entrySchema = z.object({
  method: z.string(),
  path: z.string(),
  body: z.record(z.string(), z.unknown()),
  /** The answer to a label request: the emulator chose its id, and a repetition would get another one. */
  label: labelSchema.optional(),
});
/** One request that changed emails. */
export type LogEntry = z.infer<typeof entrySchema>;

interface MutationLog<T> {
  readonly entries: readonly T[];
  /** Resolves when the entry is on the disk. */
  append(entry: T): Promise<void>;
  close(): Promise<void>;
}

/**
 * Opens the log and reads it. An incomplete last line, from a crash, was never answered, and is removed.
 * @throws BatchgateError `INTERNAL` when an earlier line cannot be read.
 */
export async function openLog<T>(path: string, schema: z.ZodType<T>): Promise<MutationLog<T>> {
  const file = await open(path, 'a');
  try {
    const content = await readFile(path);
    const end = content.lastIndexOf('\n') + 1;
    const lines = content.subarray(0, end).toString('utf8').split('\n').slice(0, -1);
    const entries = lines.map((line, index) => readLine(schema, line, index));
    if (end < content.length) await file.truncate(end);
    await file.sync();
    await syncFolder(dirname(path));
    return {
      entries,
      async append(entry) {
        await file.appendFile(`${JSON.stringify(entry)}\n`);
        await file.datasync();
      },
      close: () => file.close(),
    };
  } catch (error) {
    await file.close();
    throw error;
  }
}

function readLine<T>(schema: z.ZodType<T>, line: string, index: number): T {
  try {
    return schema.parse(JSON.parse(line));
  } catch {
    throw new BatchgateError(
      'INTERNAL',
      `Line ${index + 1} of the local mailbox's log cannot be read`,
      "Restore the mailbox's folder, or remove it to start with a new mailbox.",
    );
  }
}

/** Writes the entry of a new file in its folder to the disk, so that a crash of the machine cannot lose the file. */
async function syncFolder(path: string): Promise<void> {
  const folder = await open(path, 'r');
  try {
    await folder.sync();
  } finally {
    await folder.close();
  }
}

/** The final labels of the log, and the requests to repeat on a mailbox with these labels. */
export function foldLog(seedLabels: readonly z.infer<typeof labelSchema>[], entries: readonly LogEntry[]) {
  const labels = new Map(seedLabels.map((label) => [label.id, label]));
  const labelIds = new Set(labels.keys());
  for (const { method, path, label } of entries.filter(isLabelRequest)) {
    if (label !== undefined) {
      labels.set(label.id, { id: label.id, name: label.name });
      labelIds.add(label.id);
    }
    if (method === 'DELETE') labels.delete(decodeURIComponent(path.slice(path.lastIndexOf('/') + 1)));
  }
  // No email has a label that was deleted later, and the emulator refuses requests that name it.
  const isGone = (id: unknown) => typeof id === 'string' && labelIds.has(id) && !labels.has(id);
  const withoutGone = (value: unknown) => (Array.isArray(value) ? value.filter((id) => !isGone(id)) : value);
  return {
    labels: [...labels.values()],
    isGone,
    requests: entries
      .filter((entry) => !isLabelRequest(entry))
      .map(({ method, path, body }) => ({
        method,
        path,
        body: Object.fromEntries(Object.entries(body).map(([key, value]) => [key, withoutGone(value)])),
      })),
  };
}

const isLabelRequest = ({ path }: LogEntry): boolean => /\/labels(\/[^/]+)?$/.test(path);
