import type { Config } from '../../host/config';
import { inspectEmbedded, inspectPostgres } from '../../postgres/store/inspect';
import { reasonOf } from '../../host/temporal/failure';
import { ok, problem, warning, type Finding } from './check';

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
    const { version, pending, unknown } = await inspectPostgres(databaseUrl);
    const detail = `PostgreSQL ${version} at ${where}`;
    if (unknown.length > 0) {
      return problem(
        `${detail} was used by a newer version of batchgate (${unknown.join(', ')})`,
        'Run that version, or set BATCHGATE_DATABASE_URL to another database.',
      );
    }
    if (pending.length === 0) return ok(`${detail}, tables up to date`);
    return warning(
      `${detail}, not applied yet: ${pending.join(', ')}`,
      'Start a worker of this version: it brings the tables up to date.',
    );
  } catch (error) {
    return problem(
      `PostgreSQL at ${where} cannot be used: ${reasonOf(error)}`,
      'Start the database, or correct the address and user of BATCHGATE_DATABASE_URL and the password, in it or in PGPASSWORD.',
    );
  }
}
