import { mistake } from '../../shared/failure';
import type { Column, Table } from '../catalogue';
import { textOf } from '../expressions';
import { shownTable, type SqlChange, type Value } from '../parameters';
import { storedAs, Unfit, type Raw, type Stored } from './values';

/** The value of a column for a text. @throws BatchgateError `INVALID_INPUT` */
export function valueFor(table: Table, column: Column, value: Value): Stored {
  try {
    return storedAs(column, textOf(column, value));
  } catch (error) {
    if (!(error instanceof Unfit)) throw error;
    throw mistake(
      `The column '${column.name}' of ${shownTable(table)} does not take the value: ${error.message}.`,
      'Write a value that fits the type of the column.',
    );
  }
}

/** The row after its change. */
export function changedRow(table: Table, { set }: SqlChange, raw: Raw): Raw {
  const values = table.columns
    .filter(({ name }) => Object.hasOwn(set, name))
    .map((column) => [column.name, valueFor(table, column, set[column.name] ?? null)]);
  return { ...raw, ...(Object.fromEntries(values) as Raw) };
}
