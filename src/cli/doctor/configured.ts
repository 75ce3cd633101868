import type { Config } from '../../host/config';
import { inspectDatabase } from '../../postgres/databases/inspect';
import { hostsOfSecret } from '../../core/shared/allowed-hosts';
import { createSecrets } from '../../host/secrets';
import { check, ok, warning, type Check, type Finding, problem } from './check';
import { inspectEmbedded, inspectPostgres } from '../../postgres/store/inspect';
import { reasonOf } from '../../host/temporal/failure';

/** Checks each entry of the configuration file separately. Values are never shown. */
export function checkConfigured(config: Config): Promise<Check>[] {
  const { databases, secrets } = config.file;
  return [
    check('sql', () => judgeSql(config)),
    check('http', () => judgeHttp(config)),
    ...Object.keys(databases).map((name) => check(`database ${name}`, () => probeDatabase(config, name))),
    ...Object.keys(secrets).map((name) => check(`secret ${name}`, () => probeSecret(config, name))),
  ];
}

function judgeSql({ file }: Config): Finding {
  const names = Object.keys(file.databases);
  return names.length === 0
    ? ok('no database is configured. Name one under "databases" in batchgate.config.json (docs/sql.md).')
    : ok(`may work on ${names.join(', ')}`);
}

function judgeHttp({ file }: Config): Finding {
  const { allowed_hosts } = file.http;
  return allowed_hosts.length === 0
    ? ok('no host is allowed. List hosts under "http" in batchgate.config.json (docs/http.md).')
    : ok(`may send to ${allowed_hosts.join(', ')}`);
}

async function probeDatabase({ file, env }: Config, name: string): Promise<Finding> {
  const facts = await inspectDatabase(name, file, env);
  if (facts.kind === 'postgres') {
    const place = `PostgreSQL ${facts.version} at ${facts.host}`;
    if (facts.missing_grants.length === 0) return ok(place);
    return warning(
      `${place}; hygiene cannot delete old commit markers there`,
      `The owner of the tables runs: ${facts.missing_grants.map((grant) => `${grant} to ROLE`).join('; ')}. Or delete the rows of ended jobs yourself (docs/data.md).`,
    );
  }
  if (facts.kind === 'sqlite') return ok(`SQLite ${facts.version} in ${facts.file}`);
  if (facts.kind === 'mysql') return ok(`${facts.product} ${facts.version} at ${facts.host}`);
  const { folder, exists, holder } = facts;
  if (!exists) return ok(`embedded in ${folder}, made when it is first used`);
  return ok(`embedded in ${folder}, held by ${holder === undefined ? 'no process' : `process ${holder}`}`);
}

async function probeSecret({ file, env }: Config, name: string): Promise<Finding> {
  await createSecrets(file, env).read(name);
  const hosts = hostsOfSecret(file.secrets[name]?.hosts, file.http.allowed_hosts);
  if (hosts.length > 0) return ok(`is there, for ${hosts.join(', ')}`);
  if (file.http.allowed_hosts.length === 0) return ok('is there, and no host is allowed yet');
  return warning(
    'is configured but never sent: it names no hosts, and more than one host is allowed',
    `Add "hosts" to the secret '${name}' in batchgate.config.json, as { "env": …, "hosts": ["api.example.com"] }.`,
  );
}

export async function probeStore({ databaseUrl, dataDir }: Config): Promise<Finding> {
  return databaseUrl === undefined ? probeEmbedded(dataDir) : probePostgres(databaseUrl);
}

async function probeEmbedded(dataDir: string): Promise<Finding> {
  try {
    const { exists, holder } = await inspectEmbedded(dataDir);
    if (!exists) return ok('embedded, made at the first start');
    return ok(holder === undefined ? 'embedded, held by no process' : `embedded, held by process ${holder}`);
  } catch (error) {
    return problem(
      `the embedded store cannot be used: ${reasonOf(error)}`,
      `Make ${dataDir} and what is in it readable and writable for this user, or set BATCHGATE_DATABASE_URL.`,
    );
  }
}

async function probePostgres(databaseUrl: string): Promise<Finding> {
  const { host, pathname } = new URL(databaseUrl);
  const where = `${host}${pathname}`;
  try {
    const { version, pending, unknown, isAsynchronous } = await inspectPostgres(databaseUrl);
    const detail = `PostgreSQL ${version} at ${where}`;
    if (unknown.length > 0) {
      return problem(
        `${detail} was used by a newer version of batchgate (${unknown.join(', ')})`,
        'Run that version, or set BATCHGATE_DATABASE_URL to another database.',
      );
    }
    if (pending.length > 0) {
      return warning(
        `${detail}, not applied yet: ${pending.join(', ')}`,
        'Start a worker of this version: it brings the tables up to date.',
      );
    }
    if (!isAsynchronous) return ok(`${detail}, tables up to date`);
    return warning(
      `${detail} has synchronous_commit off: a crash of the database loses the last records of sent requests`,
      'Set synchronous_commit to on for this database, as docs/production.md says.',
    );
  } catch (error) {
    return problem(
      `PostgreSQL at ${where} cannot be used: ${reasonOf(error)}`,
      'Start the database, or correct the address and user of BATCHGATE_DATABASE_URL and the password, in it or in PGPASSWORD.',
    );
  }
}
