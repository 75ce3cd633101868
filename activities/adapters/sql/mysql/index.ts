import { sql } from 'kysely';
import type { Engine } from '../engine';
import { localEngine } from '../local';
import { ProviderFailure } from '../../shared/failure';
import { findMysqlTable, loadMysqlTable, mysqlIdentity, mysqlReferences, nameOf } from './catalogue';
import { chooseMarks, ensureMarks, fence, mark } from './marks';
import { bound, isDoubtful, matches, refused, sameKey, selected } from './statements';
import { inMysql, isOfPrivilege } from './transaction';
import { isRestorable, receivedAs, storedAs } from './values';

const engine = localEngine({
  transact: inMysql,
  findTable: findMysqlTable,
  loadTable: loadMysqlTable,
  references: mysqlReferences,
  identityOf: mysqlIdentity,
  nameOf,
  stored: storedAs,
  // All columns are selected as texts.
  received: (column, value) => receivedAs(column, value as string | null),
  printed: (value) => (value === null ? null : String(value)),
  differs: (left, value) => sql`not (${left} <=> ${value})`,
  lock: sql`for update`,
  ...{ bound, selected, isRestorable, matches, isDoubtful, refused, sameKey },
  ...{ chooseMarks, ensureMarks, mark, fence },
});

/** MariaDB and MySQL. */
export const mysql: Engine = {
  ...engine,
  async writeRow(task) {
    try {
      return await engine.writeRow(task);
    } catch (error) {
      // This statement or a trigger lacks a privilege, which does not concern the whole account.
      if (!(error instanceof ProviderFailure) || !isOfPrivilege(error)) throw error;
      const { message, reason = '' } = error;
      throw new ProviderFailure('refused', message, { reason });
    }
  },
};
