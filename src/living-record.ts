import { readFile } from 'node:fs/promises';
import { z } from 'zod';
import { replaceFile } from './files';
import { findHolder, type Held, type Holder } from './lock';

/** A file in which the holder of a lock publishes its address. It is valid while that holder lives. */
export interface LivingRecord<T> {
  readonly lock: string;
  write(held: Pick<Held, 'token'>, content: T): Promise<void>;
  /** The record of the living holder; undefined if there is no holder, or no record yet. */
  read(): Promise<T | undefined>;
  /** The same, with the holder to watch; call its `leave` afterwards. */
  find(): Promise<{ content: T; holder: Holder } | undefined>;
}

export function livingRecord<T>(file: string, lock: string, schema: z.ZodType<T>): LivingRecord<T> {
  const named = z.object({ lock: z.string() });
  const find = async () => {
    // A folder that cannot be read contains no record.
    const holder = await findHolder(lock).catch(() => undefined);
    if (holder === undefined) return undefined;
    try {
      const value: unknown = JSON.parse(await readFile(file, 'utf8'));
      if (named.parse(value).lock === holder.token) return { content: schema.parse(value), holder };
    } catch {
      // Not written yet, or written by an older holder in another format.
    }
    holder.leave();
    return undefined;
  };
  return {
    lock,
    find,
    write: ({ token }, content) =>
      replaceFile(file, `${JSON.stringify({ ...content, lock: token }, null, 2)}\n`),
    async read() {
      const found = await find();
      found?.holder.leave();
      return found?.content;
    },
  };
}
