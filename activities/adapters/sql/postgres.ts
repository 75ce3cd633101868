import { sql } from 'kysely';
import { BatchgateError } from '../../../src/contract/errors';
import { sqlState } from '../../../src/postgres/databases/failure';
import { notKept, readAs } from '../../../src/postgres/databases/typed-values';
import { ProviderFailure } from '../shared/failure';
import { findTable, loadTable } from './catalogue';
import type { Engine } from './engine';
import { OF_A_VALUE } from './failure';
import { chooseMarks, ensureMarks, fence, lockItem } from './marks';
import { shownTable } from './parameters';
import { absoluteTexts, firstUnkept, tried } from './prepare';
import { countRows, foundRows, newRow, rowOf, withOutlook } from './rows';
import { inTransaction } from './transaction';
import { writeRow } from './write';

export const postgres: Engine = {
  transact: inTransaction,
  ...{
    findTable,
    loadTable,
    tried,
    absoluteTexts,
    countRows,
    foundRows,
    rowOf,
    newRow,
    withOutlook,
    writeRow,
  },
  ...{ chooseMarks, ensureMarks, fence, lockItem },
  async whyUnread(reading, table, values) {
    try {
      await reading(async (db) => {
        const cut = await firstUnkept(db, values);
        if (cut !== undefined) throw notKept(cut, shownTable(table));
        const tests = values.map(({ column, text }) => sql`${readAs(text, column.type)} is null`);
        await sql`select ${sql.join(tests)}`.execute(db);
      });
      return undefined;
    } catch (error) {
      if (error instanceof BatchgateError && error.code === 'INVALID_INPUT') return error.message;
      const state = error instanceof ProviderFailure ? (error.reason ?? '') : sqlState(error);
      if (OF_A_VALUE.test(state)) return (error as Error).message;
      throw error;
    }
  },
};
