import { nullName, type FormField } from '../../core/approval/schema-form';
import type { ShownField } from './fields';
import type { Fields } from './forms';

/** The fields of a form with the values of these parameters. */
export function filledWith(fields: readonly ShownField[], params: Record<string, unknown>): Fields {
  const filled = new URLSearchParams();
  for (const field of fields) {
    const value = field.name
      .split('.')
      .reduce<unknown>((at, key) => (at as Record<string, unknown> | null | undefined)?.[key], params);
    if (value === undefined) continue;
    if (value === null && field.nullable) filled.set(nullName(field.name), 'true');
    else filled.set(field.name, textOf(field, value));
  }
  return filled;
}

function textOf({ kind }: FormField, value: unknown): string {
  if (typeof value === 'string') return value;
  const isList = kind === 'list' && Array.isArray(value) && value.every((one) => typeof one === 'string');
  return isList ? value.join('\n') : JSON.stringify(value);
}
