import { shortened } from '../../contract/text';
import { InexactNumber, readJson } from './json';

/** A placeholder: the name of a value, and the type that its author declared. */
export interface Placeholder {
  readonly name: string;
  /** The source of the value, if that is not the item itself. */
  readonly source?: Source;
  readonly type?: DeclaredType;
}

/** `response`: the answer to the change, as in `{{response.id}}`. `before`: the item before it: `{{before.state}}`. */
type Source = 'response' | 'before';
const OF_A_SOURCE = /^(response|before)\.(.+)$/s;

/** A text with placeholders: `{{.name}}` is replaced by the value of that name. */
export type Template = readonly (string | Placeholder)[];

/** `{{.name as number}}`: a file of CSV holds texts only, and a JSON body often needs another type. */
const DECLARED = / as (text|number|boolean|json)$/;
type DeclaredType = 'text' | 'number' | 'boolean' | 'json';

/** Names that may be written without the dot: they belong to the item itself, not to its columns. */
const OF_THE_ITEM = ['id', 'display_name'];
/**
 * A placeholder: text between double braces. Blanks around it are removed afterwards, so that no part of a text is read
 * twice.
 */
const PLACEHOLDER = /\{\{([^{}]*)\}\}/g;

/**
 * Parses a template. `mistake` describes its first mistake. Values are filled in once: a value is never parsed as a
 * template.
 */
export function readTemplate(text: string): { template: Template } | { mistake: string } {
  const template: (string | Placeholder)[] = [];
  let end = 0;
  for (const match of text.matchAll(PLACEHOLDER)) {
    const [whole, inner = ''] = match;
    const content = inner.trim();
    const dotted = content.startsWith('.');
    const declared = DECLARED.exec(content);
    const fullName = content.slice(dotted ? 1 : 0, declared?.index).trimEnd();
    const [, source, inside] = dotted ? [] : (OF_A_SOURCE.exec(fullName) ?? []);
    const name = inside ?? fullName;
    if (name === '' || (!dotted && source === undefined && !OF_THE_ITEM.includes(name))) {
      return {
        mistake: `'${shortened(whole)}' is not a placeholder; write {{.column}}, {{id}} or {{display_name}}`,
      };
    }
    const type = declared?.[1] as DeclaredType | undefined;
    const placeholder = {
      name,
      ...(source !== undefined && { source: source as Source }),
      ...(type && { type }),
    };
    template.push(text.slice(end, match.index), placeholder);
    end = match.index + whole.length;
  }
  template.push(text.slice(end));
  if (template.some((part) => typeof part === 'string' && part.includes('{{'))) {
    return { mistake: "'{{' begins no placeholder; write {{.column}}, {{id}} or {{display_name}}" };
  }
  return { template: template.filter((part) => part !== '') };
}

const SOURCES = Symbol('the values of sources');
/** Values by the whole name after the source: `order.id`. Absent if they are not known yet. */
export type Sources = Readonly<Partial<Record<Source, Readonly<Record<string, unknown>>>>>;
export type Values = Readonly<Record<string, unknown>> & { readonly [SOURCES]?: Sources };

/** Adds the values of sources to the values of an item. */
export const withSources = (values: Values, sources: Sources): Values => ({ ...values, [SOURCES]: sources });

export const sourcesIn = (values: Values): Sources => values[SOURCES] ?? {};

/** Thrown if values cannot fill in a template. The message names the placeholder. */
export class TemplateError extends Error {
  override readonly name = 'TemplateError';
}

/** The value of a name: an own member, never an inherited one. */
function valueOf(values: Values, { name, source, type }: Placeholder): unknown {
  if (source !== undefined) return valueOfSource(values[SOURCES] ?? {}, source, name, type);
  if (!Object.hasOwn(values, name)) throw new TemplateError(`The item has no ${name}`);
  return type === undefined ? values[name] : declaredValue(values[name], type, name);
}

/** Stand-ins, by type, for the values of a source that is not known yet. */
const LATER = { text: 'x', number: 0, boolean: true, json: null };

function valueOfSource(sources: Sources, source: Source, name: string, type?: DeclaredType): unknown {
  const members = sources[source];
  if (members === undefined) return LATER[type ?? 'text'];
  if (!Object.hasOwn(members, name)) throw new TemplateError(MISSING[source](name));
  return type === undefined ? members[name] : declaredValue(members[name], type, name);
}

const MISSING: Record<Source, (name: string) => string> = {
  response: (name) => `The answer to the change had no ${name}`,
  before: (name) => `What was before the change has no ${name}`,
};

function declaredValue(value: unknown, type: DeclaredType, name: string): unknown {
  if (type === 'text') return typeof value === 'string' ? value : JSON.stringify(value);
  // Spreadsheets write them in capitals.
  if (type === 'boolean' && typeof value === 'string' && /^\s*(?:true|false)\s*$/i.test(value))
    return value.trim().toLowerCase() === 'true';
  let decoded: unknown = value;
  try {
    if (typeof value === 'string') decoded = readJson(value);
  } catch (error) {
    const why = error instanceof InexactNumber ? `: ${error.message}` : '';
    throw new TemplateError(`The item's ${name} is not ${WORDS[type]}${why}`);
  }
  if (type === 'json' || typeof decoded === type) return decoded;
  throw new TemplateError(`The item's ${name} is not ${WORDS[type]}`);
}

const WORDS = { number: 'a number', boolean: 'true or false', json: 'JSON' };

/** The value as text; a list, an object and null have none. */
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

function templatesIn(value: unknown): Template[] {
  if (Array.isArray(value)) return value.flatMap(templatesIn);
  if (typeof value === 'object' && value !== null) return templatesIn(Object.values(value));
  if (typeof value !== 'string') return [];
  const parsed = readTemplate(value);
  return 'mistake' in parsed ? [] : [parsed.template];
}

/** All placeholders in a JSON value. */
export const placeholdersIn = (value: unknown): Placeholder[] =>
  templatesIn(value)
    .flat()
    .filter((part) => typeof part !== 'string');

/** Returns the placeholder that is a whole text. `renderJson` replaces it by the value itself. */
function onlyPlaceholderOf(template: Template): Placeholder | undefined {
  const [only] = template;
  return template.length === 1 && typeof only === 'object' ? only : undefined;
}

/** The placeholders in a JSON value that are whole texts. */
export const wholePlaceholdersIn = (value: unknown): Placeholder[] =>
  templatesIn(value).flatMap((template) => onlyPlaceholderOf(template) ?? []);

/** The names of the item's own placeholders in a JSON value, each once. */
export const namesIn = (value: unknown): string[] => [
  ...new Set(placeholdersIn(value).flatMap(({ name, source }) => (source === undefined ? name : []))),
];

/** A JSON value whose placeholders declare no types. */
export function withoutTypes(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withoutTypes);
  if (typeof value === 'object' && value !== null)
    return Object.fromEntries(Object.entries(value).map(([name, member]) => [name, withoutTypes(member)]));
  const parsed = typeof value === 'string' ? readTemplate(value) : { mistake: '' };
  if ('mistake' in parsed) return value;
  return parsed.template
    .map((part) => (typeof part === 'string' ? part : `{{${part.source ?? ''}.${part.name}}}`))
    .join('');
}

/** All mistakes of the templates in a JSON value. */
export function mistakesOf(value: unknown): string[] {
  if (typeof value === 'string') {
    const parsed = readTemplate(value);
    return 'mistake' in parsed ? [parsed.mistake] : [];
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
    const parsed = readTemplate(value);
    if ('mistake' in parsed) throw new TemplateError(parsed.mistake);
    const only = onlyPlaceholderOf(parsed.template);
    return only ? valueOf(values, only) : renderText(parsed.template, values);
  }
  if (Array.isArray(value)) return value.map((entry) => renderJson(entry, values));
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([name, member]) => [name, renderJson(member, values)]),
  );
}
