import type { Change } from '../../../src/contract/change';
import type { ItemState } from '../../../src/contract/preview';
import { shortened } from '../../../src/contract/text';
import { valueText } from '../../../src/core/bulk/change';
import { isPrivate, NOT_SHOWN } from '../../../src/core/shared/plain-secrets';
import { nameText, quoted } from '../../../src/core/shared/plain-text';
import { changeOf, shownTable, type Condition, type PreparedSql } from './parameters';
import type { RowState } from './rows';

const MAX_VALUE = 80;
/** The maximum number of columns or conditions in the sentence. The fields contain all columns. */
const MAX_SPELLED_OUT = 8;

/** Returns the summary of a change: the columns, their values and the rows. */
export function summaryOf(prepared: PreparedSql): string {
  const { action, database, table, set } = changeOf(prepared);
  // The summary of an undo names the rows as the change did.
  const where = (prepared.query?.where ?? []).map(inWords);
  const condition = where.length === 0 ? '' : ` where ${listed(where, ' and ')}`;
  const place = `each row of ${nameText(shownTable(table))} in ${nameText(database)}${condition}`;
  const settings = Object.entries(set).map(
    ([name, value]) => `${nameText(name)} to ${shownValue(name, value)}`,
  );
  const constant = settings.length === 0 ? '' : `, and set ${listed(settings, ', ')}`;
  const target = `${nameText(shownTable(table))} in ${nameText(database)}`;
  if (action === 'insert') return `Insert each row of the file into ${target}${constant}.`;
  if (action === 'upsert')
    return `Insert each row of the file into ${target}, or set its columns where its key is there${constant}.`;
  return action === 'delete' ? `Delete ${place}.` : `Set ${listed(settings, ', ')} in ${place}.`;
}

export const settingsOf = ({ change: { set = {} } }: PreparedSql): Change['fields'] =>
  Object.entries(set).map(([name, value]) => ({
    name,
    to: isPrivate(name) ? NOT_SHOWN : valueText(value),
  }));

function inWords(clause: Condition): string {
  const column = nameText(clause.column);
  if (!('value' in clause)) return `${column} is ${clause.op === 'is_null' ? '' : 'not '}empty`;
  return `${column} ${clause.op.replace('_', ' ')} ${shownValue(clause.column, clause.value)}`;
}

function shownValue(column: string, value: unknown): string {
  if (isPrivate(column)) return NOT_SHOWN;
  if (value === null) return 'null';
  const text = shortened(valueText(value), MAX_VALUE);
  return typeof value === 'number' || typeof value === 'boolean' ? text : quoted(text);
}

function listed(parts: readonly string[], separator: string): string {
  const more = parts.length - MAX_SPELLED_OUT;
  return [...parts.slice(0, MAX_SPELLED_OUT), ...(more > 0 ? [`${more} more`] : [])].join(separator);
}

/** Returns the columns as text for display. For a deletion: the whole row in one field. */
export function showRow({ row = {} }: Partial<RowState>, { action }: PreparedSql): ItemState {
  if (action !== 'delete') return row;
  const columns = Object.entries(row).map(([name, value]) => `${name}: ${value ?? 'null'}`);
  return columns.length === 0 ? {} : { row: columns.join(', ') };
}
