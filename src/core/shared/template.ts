/** A text with placeholders: `{{.name}}` is replaced by the value of that name. */
export type Template = readonly (string | { readonly name: string })[];

/** Names that may be written without the dot: they belong to the item itself, not to its columns. */
const OF_THE_ITEM = ['id', 'display_name'];
const PLACEHOLDER = /\{\{\s*(\.?)([^{}]*?)\s*\}\}/g;

/**
 * Parses a template. `mistake` says what is wrong with it. Values are filled in once: a value is never parsed as a
 * template.
 */
export function readTemplate(text: string): { template: Template } | { mistake: string } {
  const template: (string | { name: string })[] = [];
  let end = 0;
  for (const match of text.matchAll(PLACEHOLDER)) {
    const [whole, dot, name = ''] = match;
    if (name === '' || (dot === '' && !OF_THE_ITEM.includes(name))) {
      return { mistake: `'${whole}' is not a placeholder; write {{.column}}, {{id}} or {{display_name}}` };
    }
    template.push(text.slice(end, match.index), { name });
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
export function valueOf(values: Values, name: string): unknown {
  if (Object.hasOwn(values, name)) return values[name];
  throw new TemplateError(`The item has no ${name}`);
}

/** The same as text; a list, an object and null have none. */
function textOf(values: Values, name: string): string {
  const value = valueOf(values, name);
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
    .map((part) => (typeof part === 'string' ? part : encode(textOf(values, part.name), part.name)))
    .join('');
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
      ? valueOf(values, only.name)
      : renderText(read.template, values);
  }
  if (Array.isArray(value)) return value.map((entry) => renderJson(entry, values));
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([name, member]) => [name, renderJson(member, values)]),
  );
}
