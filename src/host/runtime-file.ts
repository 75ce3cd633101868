import { join } from 'node:path';
import { z } from 'zod';
import { livingRecord, type LivingRecord } from './lock';

/** A part that `up` starts again when it ends. */
const supervisedSchema = z.object({
  name: z.string(),
  state: z.enum(['running', 'restarting']),
  restarts: z.number().int(),
  /** The time of its last end; `reason` is the cause. */
  ended_at: z.string().optional(),
  reason: z.string().optional(),
});
export type Supervised = z.infer<typeof supervisedSchema>;

const runtimeSchema = z.object({
  pid: z.number().int().positive(),
  temporal_address: z.string(),
  namespace: z.string(),
  ui_url: z.string().optional(),
  mailbox_url: z.string().optional(),
  http_url: z.string().optional(),
  supervised: z.array(supervisedSchema).optional(),
});
/** The addresses of the parts of a running `up`, for the other verbs. */
export type Runtime = z.infer<typeof runtimeSchema>;

/** The record `runtime.json` of the `up` that holds this folder. */
export const runtimeRecord = (dataDir: string): LivingRecord<Runtime> =>
  livingRecord(join(dataDir, 'runtime.json'), join(dataDir, 'up.lock'), runtimeSchema);

/** The `up` that runs over this folder, once it serves. */
export const findRuntime = (dataDir: string): Promise<Runtime | undefined> => runtimeRecord(dataDir).read();
