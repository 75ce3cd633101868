import { readFile, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { z } from 'zod';
import { makeFolder } from './folder';

const runtimeSchema = z.object({
  pid: z.number().int().positive(),
  temporal_address: z.string(),
  namespace: z.string(),
  ui_url: z.string().optional(),
  mailbox_url: z.string().optional(),
});
/** Where the parts of a running `up` are: how the other verbs find it. */
export type Runtime = z.infer<typeof runtimeSchema>;

const fileIn = (dataDir: string) => join(dataDir, 'runtime.json');

export async function writeRuntime(dataDir: string, runtime: Runtime): Promise<void> {
  await makeFolder(dataDir);
  const draft = `${fileIn(dataDir)}.${runtime.pid}`;
  await writeFile(draft, `${JSON.stringify(runtime, null, 2)}\n`);
  await rename(draft, fileIn(dataDir));
}

export async function removeRuntime(dataDir: string): Promise<void> {
  await rm(fileIn(dataDir), { force: true });
}

/** The record of the last `up`; it may have died since. */
async function readRuntime(dataDir: string): Promise<Runtime | undefined> {
  try {
    return runtimeSchema.parse(JSON.parse(await readFile(fileIn(dataDir), 'utf8')));
  } catch {
    return undefined;
  }
}

/** The record of an `up` whose process lives. */
export async function findRuntime(dataDir: string): Promise<Runtime | undefined> {
  const runtime = await readRuntime(dataDir);
  if (!runtime) return undefined;
  try {
    process.kill(runtime.pid, 0);
    return runtime;
  } catch {
    return undefined;
  }
}
