import { nullName, type FormField } from '../../core/approval/schema-form';
import type { ShownField } from './fields';
import type { Fields } from './forms';

/** A form that is filled in with the values of these parameters. */
export function filledWith(fields: readonly ShownField[], params: Record<string, unknown>): Fields {
  const form = new URLSearchParams();
  for (const field of fields) {
    const value = field.name
      .split('.')
      .reduce<unknown>((at, key) => (at as Record<string, unknown> | null | undefined)?.[key], params);
    if (value === undefined) continue;
    if (value === null && field.nullable) form.set(nullName(field.name), 'true');
    else form.set(field.name, textOf(field, value));
  }
  return form;
}

function textOf({ kind }: FormField, value: unknown): string {
  if (typeof value === 'string') return value;
  const isList =
    kind === 'list' && Array.isArray(value) && value.every((element) => typeof element === 'string');
  return isList ? value.join('\n') : JSON.stringify(value);
}
