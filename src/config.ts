import { homedir } from 'node:os';
import { join, resolve } from 'node:path';
import { z } from 'zod';
import { BatchgateError } from './contract/errors';
import { settingsSchema, type Settings } from './contract/settings';

const optionalUrl = z.url({ protocol: /^https?$/ }).optional();
const count = z.coerce.number().int().min(1).optional();

const environmentSchema = z.object({
  BATCHGATE_DATA_DIR: z.string().min(1).default('.batchgate'),
  BATCHGATE_CACHE_DIR: z.string().min(1).optional(),
  BATCHGATE_DATABASE_URL: z.url({ protocol: /^postgres(ql)?$/ }).optional(),
  BATCHGATE_GMAIL_BASE_URL: optionalUrl,
  BATCHGATE_GOOGLE_ACCESS_TOKEN: z.string().min(1).optional(),
  BATCHGATE_MIN_BATCH_SIZE: count,
  BATCHGATE_MAX_BATCH_SIZE: count,
  BATCHGATE_MAX_TOTAL_ITEMS: count,
  BATCHGATE_BATCHES_PER_RUN: count,
  BATCHGATE_CALL_TIMEOUT_MS: count,
  BATCHGATE_HEARTBEAT_TIMEOUT_MS: count,
  BATCHGATE_PAYLOAD_CODEC: z.string().min(1).optional(),
  BATCHGATE_LOG_LEVEL: z.enum(['trace', 'debug', 'info', 'warn', 'error', 'fatal', 'silent']).default('warn'),
  XDG_CACHE_HOME: z.string().min(1).optional(),
});

/** What the environment says, checked. Nothing else reads the environment. */
export interface Config {
  dataDir: string;
  cacheDir: string;
  databaseUrl?: string;
  gmailBaseUrl?: string;
  googleAccessToken?: string;
  settings: Settings;
  /** A module that exports `payloadCodecs`, for client and worker alike. */
  payloadCodecPath?: string;
  logLevel: string;
  /** As it is, for Temporal's own configuration. */
  env: Readonly<Record<string, string | undefined>>;
}

/**
 * Reads the configuration.
 * @throws BatchgateError `NOT_CONFIGURED` with one line for each mistake.
 */
export function loadConfig(env: Readonly<Record<string, string | undefined>> = process.env): Config {
  const given = Object.fromEntries(Object.entries(env).filter(([, value]) => value !== ''));
  const parsed = environmentSchema.safeParse(given);
  if (!parsed.success)
    throw wrong(parsed.error.issues.map((issue) => `${issue.path.join('.')}: ${issue.message}`));
  const read = parsed.data;
  const settings = settingsSchema.safeParse({
    min_batch_size: read.BATCHGATE_MIN_BATCH_SIZE,
    max_batch_size: read.BATCHGATE_MAX_BATCH_SIZE,
    max_total_items: read.BATCHGATE_MAX_TOTAL_ITEMS,
    batches_per_run: read.BATCHGATE_BATCHES_PER_RUN,
    call_timeout_ms: read.BATCHGATE_CALL_TIMEOUT_MS,
    heartbeat_timeout_ms: read.BATCHGATE_HEARTBEAT_TIMEOUT_MS,
  });
  if (!settings.success) {
    throw wrong(
      settings.error.issues.map(
        ({ path, message }) => `BATCHGATE_${path.join('_').toUpperCase()}: ${message}`,
      ),
    );
  }
  if (settings.data.min_batch_size > settings.data.max_batch_size) {
    throw wrong(['BATCHGATE_MIN_BATCH_SIZE: is larger than BATCHGATE_MAX_BATCH_SIZE']);
  }
  return {
    dataDir: resolve(read.BATCHGATE_DATA_DIR),
    cacheDir: read.BATCHGATE_CACHE_DIR ?? join(read.XDG_CACHE_HOME ?? join(homedir(), '.cache'), 'batchgate'),
    databaseUrl: read.BATCHGATE_DATABASE_URL,
    gmailBaseUrl: read.BATCHGATE_GMAIL_BASE_URL,
    googleAccessToken: read.BATCHGATE_GOOGLE_ACCESS_TOKEN,
    settings: settings.data,
    payloadCodecPath: read.BATCHGATE_PAYLOAD_CODEC,
    logLevel: read.BATCHGATE_LOG_LEVEL,
    env,
  };
}

function wrong(lines: string[]): BatchgateError {
  return new BatchgateError(
    'NOT_CONFIGURED',
    `The configuration is not valid:\n${lines.map((line) => `  ${line}`).join('\n')}`,
    'Correct these variables; .env.example lists them all.',
  );
}
