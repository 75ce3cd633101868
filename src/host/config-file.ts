import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import { z } from 'zod';
import { describeIssues } from '../contract/errors';
import { ROLES } from '../contract/access';
import { deadlineRuleSchema, fixedSchema } from '../contract/settings';
import { webhookEventSchema } from '../contract/webhooks';
import { allowedHostSchema, isLoopback } from '../core/shared/allowed-hosts';
import { InexactNumber, readJson } from '../core/shared/json';
import { quoted, sentences } from '../core/shared/plain-text';
import { windowsSchema } from '../core/bulk/windows';
import { policiesSchema } from '../core/policy/rules';
import { placeIn, type ConfigSource } from './config-place';

/** The source of a secret: a variable of the environment, or a file, relative to the configuration's folder. */
const fromEnvironment = z.strictObject({ env: z.string().min(1) });
const fromFile = z.strictObject({ file: z.string().min(1) });
const secretSourceSchema = z.union([fromEnvironment, fromFile]);
/** Entries in the format of `http.allowed_hosts`. */
const hosts = z.array(allowedHostSchema).min(1).optional();
const secretSchema = z.union([fromEnvironment.extend({ hosts }), fromFile.extend({ hosts })]);
export type SecretSource = z.infer<typeof secretSourceSchema>;

const name = z
  .string()
  .regex(/^[A-Za-z0-9_.-]{1,150}$/, 'letters, digits, dot, dash and underscore, at most 150');

/** A mistake in it is reported without its text: an address may contain a password. */
const databaseUrl = z
  .string()
  .regex(
    /^(?:(?:postgres(?:ql)?|mysql|mariadb):\/\/.+|(?:pglite|sqlite):.+)$/,
    'must be postgres://…, mysql://…, sqlite:FILE, pglite:FOLDER, or { "env" | "file" } naming where that is',
  );

/**
 * The address of a receiver. Only addresses on this machine may be unencrypted. No message contains the address,
 * because Slack's is a secret.
 */
const webhookUrl = z
  .url({
    protocol: /^https?$/,
    error: 'must be an https address, or { "env" | "file" } naming where that is',
  })
  .refine(isEncryptedOrLocal, 'must be https, or http on this machine');
const webhookSchema = z
  .strictObject({
    /** Its name in lists and in the Temporal UI; by default its host and a few characters of its digest. */
    name: z
      .string()
      .regex(/^[A-Za-z0-9_.]{1,60}$/, 'letters, digits, dot and underscore, at most 60')
      .optional(),
    url: z.union([webhookUrl, secretSourceSchema]),
    /** `whsec_…`, as in Standard Webhooks. To replace a secret, list the new one and the old one: each signs. */
    secret: z.union([secretSourceSchema, z.array(secretSourceSchema).min(1).max(3)]),
    /** Default: all. */
    events: z.array(webhookEventSchema).min(1).optional(),
    /** Whether the receiver may be in a private network or on this machine. */
    allow_private: z.boolean().default(false),
  })
  .refine(({ name, url }) => name !== undefined || typeof url === 'string', 'a secret url needs a "name"')
  .transform((hook) => ({
    ...hook,
    name: hook.name ?? (typeof hook.url === 'string' ? nameOf(hook.url) : ''),
  }));
export type WebhookConfig = z.output<typeof webhookSchema>;

/** The name of an address: the same after every start, and without its path. */
function nameOf(url: string): string {
  const digest = createHash('sha256').update(url).digest('hex').slice(0, 6);
  return `${new URL(url).hostname.replace(/[^A-Za-z0-9.]/g, '_').slice(0, 50)}_${digest}`;
}

/** Whether requests to an address cannot be read in transit: it is https, or on this machine. */
export function isEncryptedOrLocal(url: string): boolean {
  if (!URL.canParse(url)) return false;
  const { protocol, hostname } = new URL(url);
  return protocol === 'https:' || isLoopback(hostname);
}

const roleRuleSchema = z
  .strictObject({
    role: z.enum(ROLES).exclude(['agent']),
    /** `groups`, or `realm_access.roles` for a claim within another one. */
    claim: z.string().min(1).optional(),
    value: z.string().min(1).optional(),
  })
  .refine(
    ({ claim, value }) => (claim === undefined) === (value === undefined),
    'needs both claim and value',
  );

/** Sign-in of people through the organisation's identity provider. */
const oidcSchema = z
  .strictObject({
    issuer: z
      .url({ protocol: /^https?$/ })
      .refine(isEncryptedOrLocal, 'must be https, or http on this machine'),
    client_id: z.string().min(1),
    /** Without a secret, batchgate is a public client of the provider. */
    client_secret: secretSourceSchema.optional(),
    scope: z.string().min(1).default('openid profile email'),
    /** The claim under which a person's decisions are recorded. */
    name_claim: z.string().min(1).default('name'),
    /** The claim that names a person's groups, for the approvers of policies; `groups` by default. */
    groups_claim: z.string().min(1).optional(),
    /** The first matching rule determines the role; a person who matches none is refused. */
    roles: z.array(roleRuleSchema).min(1),
    /** The time for which a person stays signed in, in hours. */
    session_hours: z.number().positive().max(720).default(12),
    /** Access tokens of people for this audience are accepted as `Authorization: Bearer`. */
    audience: z.string().min(1).optional(),
    /** The clients whose access tokens identify a person: not clients that act on their own, such as agents. */
    clients: z.array(z.string().min(1)).min(1).optional(),
  })
  .refine(({ audience, client_id }) => audience !== client_id, {
    path: ['audience'],
    message: 'must differ from client_id, the audience of ID tokens',
  })
  .refine(({ audience, clients }) => (audience === undefined) === (clients === undefined), {
    path: ['clients'],
    message: 'must name the clients whose access tokens for the audience are accepted; set both or neither',
  });
export type OidcConfig = z.output<typeof oidcSchema>;

const days = z.number().int().min(1).max(36_500);

/** `batchgate.config.json`: settings that do not fit into variables. It names secrets, and contains none. */
export const configFileSchema = z.strictObject({
  $schema: z.string().optional(),
  /**
   * The key is the name that parameters use. `url`: `postgres://…`, `mysql://…`, `sqlite:FILE`, or `pglite:FOLDER` for
   * an embedded database.
   */
  databases: z.record(name, z.strictObject({ url: z.union([databaseUrl, secretSourceSchema]) })).default({}),
  /** `hosts`: the hosts that may receive it; by default, the only host in `http.allowed_hosts`. */
  secrets: z.record(name, secretSchema).default({}),
  /** Modules with adapters of your own, relative to the file's folder. */
  adapters: z.array(z.string().min(1)).default([]),
  /** Modules with tools of your own, relative to the file's folder. */
  tools: z.array(z.string().min(1)).default([]),
  /** Folders of macro files, and of the files that macros fetch, relative to the file's folder. */
  macros_dir: z.string().min(1).optional(),
  resources_dir: z.string().min(1).optional(),
  http: z
    .strictObject({
      /**
       * The hosts that the http adapter may send to: `host`, `host:port` or `*.host`, with `http://` before it for
       * unencrypted requests.
       */
      allowed_hosts: z.array(allowedHostSchema).default([]),
      /** The address under which people and backends reach the HTTP API through a proxy. */
      base_url: z.url({ protocol: /^https?$/ }).optional(),
      /** The limit of requests per minute from each caller of the HTTP API. Default: 6,000. */
      caller_requests_per_minute: z.number().int().min(1).optional(),
      /**
       * The limit of all requests of the workers of one store, by operations and the tool `http_request` together.
       * Default: no limit.
       */
      requests_per_second: z.number().positive().max(10_000).optional(),
    })
    .prefault({}),
  /** The receivers that are notified when an operation waits for a person, and when it has ended. */
  webhooks: z
    .array(webhookSchema)
    .max(20)
    .refine((hooks) => new Set(hooks.map(({ name }) => name)).size === hooks.length, 'two have the same name')
    .default([]),
  /** The deadlines of questions. The most specific entry applies. */
  deadlines: z.array(deadlineRuleSchema).max(200).default([]),
  /** By adapter: the parameters of its changes that cannot be edited in a question. */
  fixed: fixedSchema.optional(),
  oidc: oidcSchema.optional(),
  /** The times at which batches may begin, by domain; by default at any time. */
  windows: windowsSchema.default({}),
  /** Requirements of operations besides a confirmation, and refusals. The first policy that matches applies. */
  policies: policiesSchema.default([]),
  audit: z
    .strictObject({
      /** An Ed25519 private key, as PEM. By default one is made in the data folder. */
      key: secretSourceSchema.optional(),
      /** The key that it replaces. Required until the next checkpoint. */
      previous_key: secretSourceSchema.optional(),
      /** The retention of personal data in the record, by domain; by default that of operations in the ledger. */
      retention_days: z.record(z.string().min(1), days).default({}),
      /** The retention of personal data in the rows of administrative acts; by default they are not deleted. */
      administration_days: days.optional(),
    })
    .refine(({ key, previous_key }) => key !== undefined || previous_key === undefined, {
      path: ['previous_key'],
      message: 'needs "key", which replaces it',
    })
    .prefault({}),
});

export type ConfigFile = z.output<typeof configFileSchema> & {
  /** The base of relative paths in the file. */
  folder: string;
  /** The text of the file, for mistakes that later checks report. */
  source?: ConfigSource;
};

export function emptyConfigFile(): ConfigFile {
  return { ...configFileSchema.parse({}), folder: process.cwd() };
}

const FILE_NAME = 'batchgate.config.json';

/**
 * Reads the file that `path` names, or else the one of the working directory, if it exists.
 * @returns the mistakes, one per line, if it is not valid.
 */
export function readConfigFile(path: string | undefined): ConfigFile | { mistakes: string[] } {
  const place = resolve(path ?? FILE_NAME);
  const label = path ?? FILE_NAME;
  let text: string;
  try {
    text = readFileSync(place, 'utf8');
  } catch (error) {
    const missing = (error as NodeJS.ErrnoException).code === 'ENOENT';
    if (missing && path === undefined) return emptyConfigFile();
    return { mistakes: [`${label}: ${missing ? 'there is no such file' : 'cannot be read'}`] };
  }
  let value: unknown;
  try {
    value = readJson(text);
  } catch (error) {
    if (error instanceof InexactNumber)
      return { mistakes: [`${label}: ${sentences(error.message, error.hint)}`] };
    return { mistakes: [`${label}: is not valid JSON: ${(error as Error).message}`] };
  }
  const parsed = configFileSchema.safeParse(value);
  const source = { label, text };
  if (!parsed.success) return { mistakes: mistakesOf(parsed.error, source, value) };
  return { ...parsed.data, folder: dirname(place), source };
}

/** A line for each mistake in a policy, with its place and the policy's name, and one for all others. */
function mistakesOf({ issues }: z.ZodError, source: ConfigSource, value: unknown): string[] {
  const ofPolicies = issues.filter(({ path: [top] }) => top === 'policies');
  const others = issues.filter((issue) => !ofPolicies.includes(issue));
  return [
    ...(others.length > 0 ? [`${source.label}: ${describeIssues(new z.ZodError(others))}`] : []),
    ...ofPolicies.map((issue) => {
      const [, at] = issue.path;
      const { policies } = value as { policies?: { name?: unknown }[] };
      const name = typeof at === 'number' ? policies?.[at]?.name : undefined;
      const policy = typeof name === 'string' ? ` (policy ${quoted(name)})` : '';
      return `${placeIn(source, issue.path)}${describeIssues(new z.ZodError([issue]))}${policy}`;
    }),
  ];
}
