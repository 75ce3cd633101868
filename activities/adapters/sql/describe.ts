import type { Change } from '../../../src/contract/change';
import type { PreparedBulkContext } from '../../../src/contract/items';
import { valueText } from '../../../src/core/bulk/change';
import { shortened } from '../../../src/contract/text';
import { nameText, quoted } from '../../../src/core/shared/plain-text';
import { looksSecret } from '../../../src/core/shared/plain-secrets';
import { isPrivate } from './frozen';
import { changeOf, shownTable, type Condition } from './parameters';

const MAX_VALUE = 80;
/** The maximum of columns or conditions in the sentence; the fields contain all columns. */
const MAX_SPELLED_OUT = 8;
const NOT_SHOWN = '(not shown)';

/** Which columns get which values, in which rows. How far each row can be restored is known from the row. */
export function describeSqlChange(context: PreparedBulkContext): Change {
  const { action, database, table, set, where } = changeOf(context);
  const columns = Object.entries(set);
  const place = `each row of ${nameText(shownTable(table))} in ${nameText(database)}${condition(where)}`;
  const settings = listed(columns.map(([name, value]) => `${nameText(name)} to ${shownValue(name, value)}`));
  return {
    summary: action === 'delete' ? `Delete ${place}.` : `Set ${settings} in ${place}.`,
    fields: columns.map(([name, value]) => ({ name, to: looksSecret(name) ? NOT_SHOWN : valueText(value) })),
    reversible: columns.some(([name]) => isPrivate(name)) ? 'no' : 'yes',
  };
}

function condition(where: readonly Condition[]): string {
  if (where.length === 0) return '';
  return ` where ${listed(where.map(inWords), ' and ')}`;
}

function inWords(one: Condition): string {
  const column = nameText(one.column);
  if (!('value' in one)) return `${column} is ${one.op === 'is_null' ? '' : 'not '}empty`;
  return `${column} ${one.op.replace('_', ' ')} ${shownValue(one.column, one.value)}`;
}

function shownValue(column: string, value: unknown): string {
  if (looksSecret(column)) return NOT_SHOWN;
  if (value === null) return 'null';
  const text = shortened(valueText(value), MAX_VALUE);
  return typeof value === 'number' || typeof value === 'boolean' ? text : quoted(text);
}

function listed(parts: readonly string[], separator = ', '): string {
  const more = parts.length - MAX_SPELLED_OUT;
  return [...parts.slice(0, MAX_SPELLED_OUT), ...(more > 0 ? [`${more} more`] : [])].join(separator);
}
