import { resolve } from 'node:path';
import { CompiledQuery, sql } from 'kysely';
import type { MacroDependencies, RowSource } from '../../activities/shared/dependencies';
import { createModel } from '../../activities/macro/model';
import type { Config } from '../host/config';
import type { Databases, Db } from '../postgres/databases';
import { settings } from '../postgres/databases/settings';
import { matchesNothing, selectOf, send } from '../../activities/tools/query-builder';
import { BatchgateError } from '../contract/errors';
import type { Json } from '../contract/macro';
import type { FetchInput } from '../contract/macro-activities';
import type { ToolDatabase } from '../contract/tools';
import { providerText } from '../../activities/adapters/shared/failure';

/** Creates the dependencies of macros from the configuration. Nothing is connected before its first use. */
export function createMacros({ model, file }: Config, databases: Databases): Partial<MacroDependencies> {
  const { macros_dir, resources_dir, folder } = file;
  return {
    databases: createRowSource(databases, Object.keys(file.databases)),
    ...(model && { model: createModel(model) }),
    ...(macros_dir !== undefined && { macrosDir: resolve(folder, macros_dir) }),
    ...(resources_dir !== undefined && { resourcesDir: resolve(folder, resources_dir) }),
  };
}

/** The maximum number of rows, above what a macro can hold. */
const MAX_ROWS = 10_000;

/** Fetches rows for macros from the databases with these names. Values are bound; names are quoted. */
export function createRowSource(databases: Databases, names: readonly string[]): RowSource {
  return {
    names,
    async rows(input, signal, within) {
      const { resource, filter, order, limit = MAX_ROWS + 1 } = input;
      if (matchesNothing(filter)) return [];
      const atMost = Math.min(limit, MAX_ROWS + 1);
      const rows = (database: ToolDatabase) =>
        send(database, resource, (types) => selectOf({ resource, filter, order, limit: atMost }, types));
      const read = async (query: () => Promise<Record<string, unknown>[]>) => {
        try {
          return await query();
        } catch (error) {
          throw signal.aborted || error instanceof BatchgateError ? error : refused(input, error);
        }
      };
      const result = within
        ? await read(() => rows(within))
        : await (
            await databases.get(input.source)
          ).lend(signal, (db) => read(() => inOwnTransaction(db, rows)));
      if (result.length > MAX_ROWS) throw tooMany(input);
      // Converts dates and similar values to JSON.
      return JSON.parse(JSON.stringify(result)) as Json[];
    },
  };
}

/** Runs `work` in a transaction, because the settings for printing values last only for one. */
const inOwnTransaction = <T>(db: Db, work: (database: ToolDatabase) => Promise<T>): Promise<T> =>
  db.transaction().execute(async (transaction) => {
    await sql`select ${settings({})}`.execute(transaction);
    return work({
      query: async (text, values = []) =>
        (await transaction.executeQuery<Record<string, unknown>>(CompiledQuery.raw(text, [...values]))).rows,
    });
  });

function refused({ source, resource }: FetchInput, error: unknown): BatchgateError {
  const reason = providerText(error instanceof Error ? error.message : error, []);
  return new BatchgateError(
    'TOOL_FAILED',
    `[TOOL ERROR] ${resource} of '${source}': ${reason.replace(/\.$/, '')}.`,
    '[HINT]: Check if parameters are correct or try an alternative tool.',
  );
}

function tooMany({ resource }: FetchInput): BatchgateError {
  return new BatchgateError(
    'TOOL_FAILED',
    `[TOOL ERROR] More than ${MAX_ROWS} rows of ${resource} meet the filter.`,
    '[HINT]: Narrow the filter, or set a limit.',
  );
}
