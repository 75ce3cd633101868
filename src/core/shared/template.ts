import { shortened } from '../../contract/text';
import { InexactNumber, readJson } from './json';

/** A placeholder: the name of a value, and the type that its author declared. */
interface Placeholder {
  readonly name: string;
  readonly type?: DeclaredType;
}

/** A text with placeholders: `{{.name}}` is replaced by the value of that name. */
export type Template = readonly (string | Placeholder)[];

/** `{{.name as number}}`: a file of CSV holds texts only, and a JSON body often needs another type. */
const DECLARED = / as (text|number|boolean|json)$/;
type DeclaredType = 'text' | 'number' | 'boolean' | 'json';

/** Names that may be written without the dot: they belong to the item itself, not to its columns. */
const OF_THE_ITEM = ['id', 'display_name'];
/** What is between double braces; blanks around it are removed afterwards, so that no part of a text is read twice. */
const PLACEHOLDER = /\{\{([^{}]*)\}\}/g;

/**
 * Parses a template. `mistake` says what is wrong with it. Values are filled in once: a value is never parsed as a
 * template.
 */
export function readTemplate(text: string): { template: Template } | { mistake: string } {
  const template: (string | Placeholder)[] = [];
  let end = 0;
  for (const match of text.matchAll(PLACEHOLDER)) {
    const [whole, inner = ''] = match;
    const written = inner.trim();
    const dotted = written.startsWith('.');
    const declared = DECLARED.exec(written);
    const name = written.slice(dotted ? 1 : 0, declared?.index).trimEnd();
    if (name === '' || (!dotted && !OF_THE_ITEM.includes(name))) {
      return {
        mistake: `'${shortened(whole)}' is not a placeholder; write {{.column}}, {{id}} or {{display_name}}`,
      };
    }
    const type = declared?.[1] as DeclaredType | undefined;
    template.push(text.slice(end, match.index), { name, ...(type && { type }) });
    end = match.index + whole.length;
  }
  template.push(text.slice(end));
  if (template.some((part) => typeof part === 'string' && part.includes('{{'))) {
    return { mistake: "'{{' begins no placeholder; write {{.column}}, {{id}} or {{display_name}}" };
  }
  return { template: template.filter((part) => part !== '') };
}

export type Values = Readonly<Record<string, unknown>>;

/** A template cannot be filled in with these values. Its message names the placeholder. */
export class TemplateError extends Error {
  override readonly name = 'TemplateError';
}

/** The value of a name: an own member, never an inherited one. */
function valueOf(values: Values, { name, type }: Placeholder): unknown {
  if (!Object.hasOwn(values, name)) throw new TemplateError(`The item has no ${name}`);
  return type === undefined ? values[name] : declaredValue(values[name], type, name);
}

function declaredValue(value: unknown, type: DeclaredType, name: string): unknown {
  if (type === 'text') return typeof value === 'string' ? value : JSON.stringify(value);
  let read: unknown = value;
  try {
    if (typeof value === 'string') read = readJson(value);
  } catch (error) {
    const why = error instanceof InexactNumber ? `: ${error.message}` : '';
    throw new TemplateError(`The item's ${name} is not ${WORDS[type]}${why}`);
  }
  if (type === 'json' || typeof read === type) return read;
  throw new TemplateError(`The item's ${name} is not ${WORDS[type]}`);
}

const WORDS = { number: 'a number', boolean: 'true or false', json: 'JSON' };

/** The same as text; a list, an object and null have none. */
function textOf(values: Values, placeholder: Placeholder): string {
  const { name } = placeholder;
  const value = valueOf(values, placeholder);
  if (typeof value === 'string') return value;
  if (typeof value === 'number' || typeof value === 'boolean') return String(value);
  throw new TemplateError(`The item's ${name} is neither a text nor a number`);
}

/** The text with every placeholder filled in; `encode` encodes each value for its context. */
export function renderText(
  template: Template,
  values: Values,
  encode: (text: string, name: string) => string = (text) => text,
): string {
  return template
    .map((part) => (typeof part === 'string' ? part : encode(textOf(values, part), part.name)))
    .join('');
}

/** The names of all placeholders in a JSON value, each once. */
export function namesIn(value: unknown): string[] {
  if (Array.isArray(value)) return [...new Set(value.flatMap(namesIn))];
  if (typeof value === 'object' && value !== null) return namesIn(Object.values(value));
  if (typeof value !== 'string') return [];
  const read = readTemplate(value);
  const parts = 'mistake' in read ? [] : read.template;
  return [...new Set(parts.flatMap((part) => (typeof part === 'string' ? [] : part.name)))];
}

/** A JSON value whose placeholders declare no types. */
export function withoutTypes(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withoutTypes);
  if (typeof value === 'object' && value !== null)
    return Object.fromEntries(Object.entries(value).map(([name, member]) => [name, withoutTypes(member)]));
  const read = typeof value === 'string' ? readTemplate(value) : { mistake: '' };
  if ('mistake' in read) return value;
  return read.template.map((part) => (typeof part === 'string' ? part : `{{.${part.name}}}`)).join('');
}

/** All mistakes of the templates in a JSON value. */
export function mistakesOf(value: unknown): string[] {
  if (typeof value === 'string') {
    const read = readTemplate(value);
    return 'mistake' in read ? [read.mistake] : [];
  }
  if (Array.isArray(value)) return value.flatMap(mistakesOf);
  if (typeof value === 'object' && value !== null) return Object.values(value).flatMap(mistakesOf);
  return [];
}

/**
 * A JSON value with the placeholders in its texts filled in. A text that is a single placeholder becomes the value
 * itself, of any type; member names do not change.
 */
export function renderJson(value: unknown, values: Values): unknown {
  if (typeof value === 'string') {
    const read = readTemplate(value);
    if ('mistake' in read) throw new TemplateError(read.mistake);
    const [only] = read.template;
    return read.template.length === 1 && typeof only === 'object'
      ? valueOf(values, only)
      : renderText(read.template, values);
  }
  if (Array.isArray(value)) return value.map((entry) => renderJson(entry, values));
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([name, member]) => [name, renderJson(member, values)]),
  );
}
