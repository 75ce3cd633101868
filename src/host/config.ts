import { homedir } from 'node:os';
import { join, resolve } from 'node:path';
import { z } from 'zod';
import { CONFIRM_MODES, type ConfirmMode } from '../contract/access';
import { BatchgateError } from '../contract/errors';
import { TASK_QUEUE } from '../contract/messages';
import { withoutTrailing } from '../contract/text';
import { DEMO_MODEL } from './demo-model';
import { emptyConfigFile, isEncryptedOrLocal, readConfigFile, type ConfigFile } from './config-file';
import { settingsSchema, type Settings } from '../contract/settings';

/** An address to which secrets are sent: nothing leaves this machine unencrypted. */
const secretUrl = z
  .url({ protocol: /^https?$/ })
  .refine(isEncryptedOrLocal, 'must be https, or http on this machine')
  .transform((url) => withoutTrailing(url, '/'));
const serverUrl = secretUrl.refine((url) => !/^\w+:\/\/[^/]*@/.test(url), 'must not contain a user');
const WHOLE = 'must be a whole number of 1 or more';
const count = z.coerce.number(WHOLE).int(WHOLE).min(1, WHOLE).optional();

const environmentSchema = z.object({
  BATCHGATE_DATA_DIR: z.string().min(1).default('.batchgate'),
  BATCHGATE_CACHE_DIR: z.string().min(1).optional(),
  BATCHGATE_DATABASE_URL: z.url({ protocol: /^postgres(ql)?$/ }).optional(),
  BATCHGATE_CONFIG_FILE: z.string().min(1).optional(),
  BATCHGATE_GMAIL_BASE_URL: secretUrl.optional(),
  BATCHGATE_CALENDAR_BASE_URL: secretUrl.optional(),
  BATCHGATE_TRELLO_BASE_URL: secretUrl.optional(),
  BATCHGATE_TRELLO_KEY: z.string().min(1).optional(),
  BATCHGATE_TRELLO_TOKEN: z.string().min(1).optional(),
  BATCHGATE_IMAP_URL: z
    .string()
    .regex(/^imaps?:\/\/[^\s/?#@]+$/, 'must be imaps://HOST or imap://HOST, with a port if it is another one')
    .refine((url) => URL.canParse(url), 'must be an address')
    .optional(),
  BATCHGATE_IMAP_USER: z.string().min(1).optional(),
  BATCHGATE_IMAP_PASSWORD: z.string().min(1).optional(),
  BATCHGATE_IMAP_ACCESS_TOKEN: z.string().min(1).optional(),
  BATCHGATE_CALDAV_URL: serverUrl.optional(),
  BATCHGATE_CALDAV_USER: z.string().min(1).optional(),
  BATCHGATE_CALDAV_PASSWORD: z.string().min(1).optional(),
  BATCHGATE_CALDAV_ACCESS_TOKEN: z.string().min(1).optional(),
  BATCHGATE_GOOGLE_ACCESS_TOKEN: z.string().min(1).optional(),
  BATCHGATE_GOOGLE_SERVICE_ACCOUNT_FILE: z.string().min(1).optional(),
  BATCHGATE_GOOGLE_SUBJECT: z.email().optional(),
  BATCHGATE_GOOGLE_CLIENT_ID: z.string().min(1).optional(),
  BATCHGATE_GOOGLE_CLIENT_SECRET: z.string().min(1).optional(),
  BATCHGATE_GOOGLE_AUTH_BASE_URL: secretUrl.optional(),
  BATCHGATE_MIN_BATCH_SIZE: count,
  BATCHGATE_MAX_BATCH_SIZE: count,
  BATCHGATE_MAX_TOTAL_ITEMS: count,
  BATCHGATE_TASK_QUEUE: z.string().min(1).max(200).default(TASK_QUEUE),
  BATCHGATE_MAX_ACTIVE_JOBS: count,
  BATCHGATE_BATCHES_PER_RUN: count,
  BATCHGATE_ITEM_CONCURRENCY: count,
  BATCHGATE_CALL_TIMEOUT_MS: count,
  BATCHGATE_HEARTBEAT_TIMEOUT_MS: count,
  BATCHGATE_IDLE_THRESHOLD_SECONDS: count,
  BATCHGATE_LEDGER_RETENTION_DAYS: count,
  BATCHGATE_TOOL_TIMEOUT_MS: count,
  BATCHGATE_MODEL_BASE_URL: secretUrl.optional(),
  BATCHGATE_MODEL_API_KEY: z.string().min(1).optional(),
  BATCHGATE_MODEL_NAME: z.string().min(1).optional(),
  BATCHGATE_PAYLOAD_CODEC: z.string().min(1).optional(),
  BATCHGATE_METRICS_ADDRESS: z
    .string()
    .regex(/^[^\s:]+:\d+$/, 'must be HOST:PORT, as 127.0.0.1:9464')
    .optional(),
  BATCHGATE_HTTP_HOST: z.string().min(1).default('127.0.0.1'),
  BATCHGATE_HTTP_PORT: z.coerce.number().int().min(0).max(65_535).optional(),
  BATCHGATE_MCP_CONFIRM: z.enum(CONFIRM_MODES).default('link'),
  BATCHGATE_LOG_LEVEL: z.enum(['trace', 'debug', 'info', 'warn', 'error', 'fatal', 'silent']).default('warn'),
  TERM: z.string().optional(),
  XDG_CACHE_HOME: z.string().min(1).optional(),
});

const PLAIN = /^(PATH|HOME|USER|LOGNAME|SHELL|LANG|LC_\w+|TZ|TMPDIR|TMP|TEMP|XDG_\w+|SystemRoot|ComSpec)$/i;

/** The environment for a process that needs none of our settings, without our secrets. */
export function plainEnvironment(): NodeJS.ProcessEnv {
  return Object.fromEntries(Object.entries(process.env).filter(([name]) => PLAIN.test(name)));
}

/** A model behind an OpenAI-compatible address. */
export interface ModelConfig {
  baseUrl: string;
  name: string;
  apiKey?: string;
}

/** The validated environment. No other module reads the environment. */
export interface Config {
  dataDir: string;
  cacheDir: string;
  databaseUrl?: string;
  gmailBaseUrl?: string;
  calendarBaseUrl?: string;
  trelloBaseUrl?: string;
  trelloKey?: string;
  trelloToken?: string;
  /** A mail server, and the login there. */
  imapUrl?: string;
  imapUser?: string;
  imapPassword?: string;
  imapAccessToken?: string;
  /** A calendar server, and the login there. */
  caldavUrl?: string;
  caldavUser?: string;
  caldavPassword?: string;
  caldavAccessToken?: string;
  googleAccessToken?: string;
  googleServiceAccountFile?: string;
  /** The user whose mailbox the service account works on. */
  googleSubject?: string;
  googleClientId?: string;
  googleClientSecret?: string;
  /** Another server with Google's OAuth endpoints. */
  googleAuthBaseUrl?: string;
  /** The task queue of our workflows and activities. Each queue has its own sentinel. */
  taskQueue: string;
  settings: Settings;
  /** If unset, macros cannot ask a model. */
  model?: ModelConfig;
  /** Assistants use a few rules instead of a model; they need no key. */
  demoModel?: true;
  file: ConfigFile;
  /** A module that exports `payloadCodecs`, for client and worker alike. */
  payloadCodecPath?: string;
  /** The address of the metrics for Prometheus, as HOST:PORT. */
  metricsAddress: string | undefined;
  /** The address of this machine at which HTTP is served. */
  httpHost: string;
  /** Unset: the usual port, or another one if that is taken. */
  httpPort?: number;
  /** The way in which a person confirms the requests of agents over MCP. */
  mcpConfirm: ConfirmMode;
  logLevel: string;
  /** A terminal that cannot move its cursor. */
  dumbTerminal: boolean;
  /** The unchanged environment, for Temporal's own configuration. */
  env: Readonly<Record<string, string | undefined>>;
}

/**
 * Reads the configuration.
 * @throws BatchgateError `NOT_CONFIGURED` with one line for each mistake.
 */
export function loadConfig(
  env: Readonly<Record<string, string | undefined>> = process.env,
  readFile = readConfigFile,
): Config {
  const variables = Object.fromEntries(Object.entries(env).filter(([, value]) => value !== ''));
  const parsed = environmentSchema.safeParse(variables);
  if (!parsed.success)
    throw wrong(parsed.error.issues.map((issue) => `${issue.path.join('.')}: ${issue.message}`));
  const environment = parsed.data;
  const settings = settingsOf(environment);
  const file = readFile(environment.BATCHGATE_CONFIG_FILE);
  if ('mistakes' in file) throw wrong(file.mistakes, 'Correct these fields of the configuration file.');
  return {
    dataDir: resolve(environment.BATCHGATE_DATA_DIR),
    cacheDir:
      environment.BATCHGATE_CACHE_DIR ??
      join(environment.XDG_CACHE_HOME ?? join(homedir(), '.cache'), 'batchgate'),
    databaseUrl: environment.BATCHGATE_DATABASE_URL,
    gmailBaseUrl: environment.BATCHGATE_GMAIL_BASE_URL,
    calendarBaseUrl: environment.BATCHGATE_CALENDAR_BASE_URL,
    trelloBaseUrl: environment.BATCHGATE_TRELLO_BASE_URL,
    trelloKey: environment.BATCHGATE_TRELLO_KEY,
    trelloToken: environment.BATCHGATE_TRELLO_TOKEN,
    imapUrl: environment.BATCHGATE_IMAP_URL,
    imapUser: environment.BATCHGATE_IMAP_USER,
    imapPassword: environment.BATCHGATE_IMAP_PASSWORD,
    imapAccessToken: environment.BATCHGATE_IMAP_ACCESS_TOKEN,
    caldavUrl: environment.BATCHGATE_CALDAV_URL,
    caldavUser: environment.BATCHGATE_CALDAV_USER,
    caldavPassword: environment.BATCHGATE_CALDAV_PASSWORD,
    caldavAccessToken: environment.BATCHGATE_CALDAV_ACCESS_TOKEN,
    googleAccessToken: environment.BATCHGATE_GOOGLE_ACCESS_TOKEN,
    googleServiceAccountFile: environment.BATCHGATE_GOOGLE_SERVICE_ACCOUNT_FILE,
    googleSubject: environment.BATCHGATE_GOOGLE_SUBJECT,
    googleClientId: environment.BATCHGATE_GOOGLE_CLIENT_ID,
    googleClientSecret: environment.BATCHGATE_GOOGLE_CLIENT_SECRET,
    googleAuthBaseUrl: environment.BATCHGATE_GOOGLE_AUTH_BASE_URL,
    taskQueue: environment.BATCHGATE_TASK_QUEUE,
    settings: { ...settings, ...(file.fixed && { fixed: file.fixed }) },
    ...(isDemoModel(environment) ? { demoModel: true as const } : { model: modelOf(environment) }),
    file,
    payloadCodecPath: environment.BATCHGATE_PAYLOAD_CODEC,
    metricsAddress: environment.BATCHGATE_METRICS_ADDRESS,
    httpHost: environment.BATCHGATE_HTTP_HOST,
    httpPort: environment.BATCHGATE_HTTP_PORT,
    mcpConfirm: environment.BATCHGATE_MCP_CONFIRM,
    logLevel: environment.BATCHGATE_LOG_LEVEL,
    dumbTerminal: environment.TERM === 'dumb',
    env,
  };
}

/** @throws BatchgateError `NOT_CONFIGURED` with one line for each mistake. */
function settingsOf(environment: z.infer<typeof environmentSchema>): Settings {
  const settings = settingsSchema.safeParse({
    min_batch_size: environment.BATCHGATE_MIN_BATCH_SIZE,
    max_batch_size: environment.BATCHGATE_MAX_BATCH_SIZE,
    max_total_items: environment.BATCHGATE_MAX_TOTAL_ITEMS,
    max_active_jobs: environment.BATCHGATE_MAX_ACTIVE_JOBS,
    batches_per_run: environment.BATCHGATE_BATCHES_PER_RUN,
    item_concurrency: environment.BATCHGATE_ITEM_CONCURRENCY,
    call_timeout_ms: environment.BATCHGATE_CALL_TIMEOUT_MS,
    heartbeat_timeout_ms: environment.BATCHGATE_HEARTBEAT_TIMEOUT_MS,
    idle_threshold_seconds: environment.BATCHGATE_IDLE_THRESHOLD_SECONDS,
    ledger_retention_days: environment.BATCHGATE_LEDGER_RETENTION_DAYS,
    tool_timeout_ms: environment.BATCHGATE_TOOL_TIMEOUT_MS,
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
  return settings.data;
}

/** Whether only the name of the demo model is set: with an address, it is a model of that name. */
function isDemoModel(environment: z.infer<typeof environmentSchema>): boolean {
  const {
    BATCHGATE_MODEL_NAME: name,
    BATCHGATE_MODEL_BASE_URL: url,
    BATCHGATE_MODEL_API_KEY: key,
  } = environment;
  return name === DEMO_MODEL && url === undefined && key === undefined;
}

/** @throws BatchgateError `NOT_CONFIGURED` if only some of its variables are set. */
function modelOf(environment: z.infer<typeof environmentSchema>): ModelConfig | undefined {
  const baseUrl = environment.BATCHGATE_MODEL_BASE_URL;
  const name = environment.BATCHGATE_MODEL_NAME;
  const apiKey = environment.BATCHGATE_MODEL_API_KEY;
  if (baseUrl !== undefined && name !== undefined) return { baseUrl, name, apiKey };
  const missing = baseUrl === undefined ? 'BATCHGATE_MODEL_BASE_URL' : 'BATCHGATE_MODEL_NAME';
  const parts = {
    BATCHGATE_MODEL_BASE_URL: baseUrl,
    BATCHGATE_MODEL_NAME: name,
    BATCHGATE_MODEL_API_KEY: apiKey,
  };
  const variables = Object.entries(parts).filter(([, value]) => value !== undefined);
  if (variables.length === 0) return undefined;
  throw wrong(variables.map(([variable]) => `${variable}: has no effect without ${missing}`));
}

/** Loads the configuration without the variables or the file that have mistakes. Returns a line for each mistake. */
export function loadConfigForgivingly(
  env: Readonly<Record<string, string | undefined>> = process.env,
  readFile = readConfigFile,
): { config: Config; mistakes: string[] } {
  try {
    return { config: loadConfig(env, readFile), mistakes: [] };
  } catch (error) {
    const lines = (error instanceof BatchgateError ? error.details : undefined) as string[] | undefined;
    if (lines === undefined) throw error;
    const variables = lines.map((line) => line.split(':')[0]);
    const rest = Object.entries(env).filter(([name]) => !variables.includes(name));
    // This also reports mistakes that the others had hidden.
    const ofFile = rest.length === Object.keys(env).length;
    const { config, mistakes } = loadConfigForgivingly(
      Object.fromEntries(rest),
      ofFile ? emptyConfigFile : readFile,
    );
    return { config, mistakes: [...lines, ...mistakes] };
  }
}

function wrong(
  lines: string[],
  hint = 'Correct these variables; .env.example lists them all.',
): BatchgateError {
  const message = `The configuration is not valid:\n${lines.map((line) => `  ${line}`).join('\n')}`;
  return new BatchgateError('NOT_CONFIGURED', message, hint, lines);
}
