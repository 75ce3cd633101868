import { readFileSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import { z } from 'zod';
import { describeIssues } from '../contract/errors';
import { allowedHostSchema } from '../core/shared/allowed-hosts';

/** Where a secret is: a variable of the environment, or a file, relative to the configuration's folder. */
const fromEnvironment = z.strictObject({ env: z.string().min(1) });
const fromFile = z.strictObject({ file: z.string().min(1) });
const secretSourceSchema = z.union([fromEnvironment, fromFile]);
/** Entries as those of `http.allowed_hosts`. */
const hosts = z.array(allowedHostSchema).min(1).optional();
const secretSchema = z.union([fromEnvironment.extend({ hosts }), fromFile.extend({ hosts })]);
export type SecretSource = z.infer<typeof secretSourceSchema>;

const name = z
  .string()
  .regex(/^[A-Za-z0-9_.-]{1,150}$/, 'letters, digits, dot, dash and underscore, at most 150');

/** A mistake in it is told without showing it: an address may hold a password. */
const databaseUrl = z
  .string()
  .regex(
    /^(?:postgres(?:ql)?:\/\/.+|pglite:.+)$/,
    'must be postgres://…, pglite:FOLDER, or { "env" | "file" } naming where that is',
  );

/** `batchgate.config.json`: what does not fit into variables. It names secrets, and holds none. */
const configFileSchema = z.strictObject({
  $schema: z.string().optional(),
  /** By the name that parameters use. `url`: `postgres://…`, or `pglite:FOLDER` for an embedded database. */
  databases: z.record(name, z.strictObject({ url: z.union([databaseUrl, secretSourceSchema]) })).default({}),
  /** `hosts`: where requests may carry it; without, it goes to the one host that `http.allowed_hosts` names. */
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
      /** Where the http adapter may send to: `host`, `host:port` or `*.host`, with `http://` before it where it may
       * be reached in the clear. */
      allowed_hosts: z.array(allowedHostSchema).default([]),
      /** For all that a worker sends, by operations and by the tool `http_request` together. Default: no limit. */
      requests_per_second: z.number().positive().max(10_000).optional(),
    })
    .prefault({}),
});

export type ConfigFile = z.output<typeof configFileSchema> & {
  /** Relative paths in it begin here. */
  folder: string;
};

export function emptyConfigFile(): ConfigFile {
  return { ...configFileSchema.parse({}), folder: process.cwd() };
}

const FILE_NAME = 'batchgate.config.json';

/**
 * Reads the file that `path` names, or the one of the working directory where there is one.
 * @returns its mistakes as lines where it is not valid.
 */
export function readConfigFile(path: string | undefined): ConfigFile | { mistakes: string[] } {
  const place = resolve(path ?? FILE_NAME);
  const shown = path ?? FILE_NAME;
  let text: string;
  try {
    text = readFileSync(place, 'utf8');
  } catch (error) {
    const missing = (error as NodeJS.ErrnoException).code === 'ENOENT';
    if (missing && path === undefined) return emptyConfigFile();
    return { mistakes: [`${shown}: ${missing ? 'there is no such file' : 'cannot be read'}`] };
  }
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (error) {
    return { mistakes: [`${shown}: is not valid JSON: ${(error as Error).message}`] };
  }
  const parsed = configFileSchema.safeParse(value);
  if (!parsed.success) return { mistakes: [`${shown}: ${describeIssues(parsed.error)}`] };
  return { ...parsed.data, folder: dirname(place) };
}
