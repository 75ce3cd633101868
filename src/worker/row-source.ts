import type { RowSource } from '../../activities/macro/dependencies';
import { BatchgateError } from '../contract/errors';
import type { Json } from '../contract/macro';
import type { FetchInput } from '../contract/macro-activities';
import type { Database, Databases } from '../databases';
import { providerText } from '../provider/failure';

/** More than a macro can hold in any case. */
const MAX_ROWS = 10_000;

type Db = Parameters<Parameters<Database['lend']>[1]>[0];

/** The rows that a macro fetches from the databases of these names. Values are bound; names are quoted. */
export function createRowSource(databases: Databases, names: readonly string[]): RowSource {
  return {
    has: (name) => names.includes(name),
    async rows(input, signal) {
      // An empty list is nothing that SQL can say.
      if (input.filter?.some(({ op, value }) => op === 'in' && Array.isArray(value) && value.length === 0))
        return [];
      const database = await databases.get(input.source);
      const found = await database.lend(signal, async (db) => {
        try {
          return await select(db, input).execute();
        } catch (error) {
          throw signal.aborted ? error : refused(input, error);
        }
      });
      if (found.length > MAX_ROWS) throw tooMany(input);
      // Dates and the like as JSON has them.
      return JSON.parse(JSON.stringify(found)) as Json[];
    },
  };
}

function select(db: Db, { resource, filter = [], order = [], limit = MAX_ROWS + 1 }: FetchInput) {
  let query = db.selectFrom(resource).selectAll();
  for (const { column, op, value = null } of filter) {
    if (op === 'is_null') query = query.where(column, 'is', null);
    else if (op === 'is_not_null') query = query.where(column, 'is not', null);
    else if (op === 'in') query = query.where(column, 'in', Array.isArray(value) ? value : [value]);
    else query = query.where(column, op, value);
  }
  for (const { column, direction = 'asc' } of order) query = query.orderBy(column, direction);
  return query.limit(Math.min(limit, MAX_ROWS + 1));
}

function refused({ source, resource }: FetchInput, error: unknown): BatchgateError {
  const said = providerText(error instanceof Error ? error.message : error, []);
  return new BatchgateError(
    'TOOL_FAILED',
    `[TOOL ERROR] ${resource} of '${source}': ${said.replace(/\.$/, '')}.`,
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
