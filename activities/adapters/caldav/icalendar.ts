/** A line of iCalendar (RFC 5545). Lines that a change does not concern stay as the server wrote them. */

export interface Property {
  name: string;
  /** The parameters as text, with the leading semicolon: `;TZID=Europe/Berlin`. */
  params: string;
  value: string;
}
export interface Component {
  readonly name: string;
  readonly parts: (Property | Component)[];
}

const PARAM = String.raw`;[\w-]+=(?:"[^"]*"|[^";:])*`;
const LINE = new RegExp(`^([\\w-]+)((?:${PARAM})*):(.*)$`, 's');

/** Parses a text. Returns undefined if it is not a calendar. */
export function parseCalendar(text: string): Component | undefined {
  const root: Component = { name: '', parts: [] };
  const open = [root];
  for (const line of text.replace(/\r?\n[ \t]/g, '').split(/\r?\n/)) {
    if (line === '') continue;
    const [, name = '', params = '', value = line] = LINE.exec(line) ?? [];
    const keyword = name.toUpperCase();
    if (keyword === 'END') open.pop();
    if (open.length === 0) return undefined;
    if (keyword === 'END') continue;
    const part: Property | Component =
      keyword === 'BEGIN' ? { name: value.toUpperCase(), parts: [] } : { name, params, value };
    open.at(-1)!.parts.push(part);
    if ('parts' in part) open.push(part);
  }
  const [calendar] = root.parts;
  return open.length === 1 && calendar && 'parts' in calendar ? calendar : undefined;
}

export function calendarText(part: Property | Component): string {
  if ('parts' in part) {
    const inner = part.parts.map(calendarText).join('');
    return `BEGIN:${part.name}\r\n${inner}END:${part.name}\r\n`;
  }
  const { name, params, value } = part;
  return `${folded(name === '' ? value : `${name}${params}:${value}`)}\r\n`;
}

/** Folds a line at 75 octets, without splitting a character (RFC 5545, section 3.1). */
function folded(line: string): string {
  let room = 75;
  return Array.from(line, (character) => {
    const size = Buffer.byteLength(character);
    const isFull = size > room;
    room = (isFull ? 74 : room) - size;
    return isFull ? `\r\n ${character}` : character;
  }).join('');
}

export const componentsOf = ({ parts }: Component, name: string): Component[] =>
  parts.filter((part): part is Component => 'parts' in part && part.name === name);

export const propertiesOf = ({ parts }: Component, ...names: string[]): Property[] =>
  parts.filter((part): part is Property => !('parts' in part) && names.includes(part.name.toUpperCase()));

/** Sets a property, or removes it if `value` is undefined. */
export function setProperty(component: Component, name: string, value: string | undefined): void {
  const { parts } = component;
  const [first] = propertiesOf(component, name);
  if (first && value !== undefined) first.value = value;
  else if (first) parts.splice(parts.indexOf(first), 1);
  else if (value !== undefined) parts.push({ name, params: '', value });
}

export const paramOf = ({ params }: Property, name: string): string | undefined =>
  new RegExp(`;${name}=("?)([^";]*)\\1`, 'i').exec(params)?.[2];

const ESCAPED: Readonly<Record<string, string>> = { n: '\n', N: '\n' };
export const textOf = (value: string): string =>
  value.replace(/\\(.)/gs, (_all, character: string) => ESCAPED[character] ?? character);
export const escaped = (text: string): string => text.replace(/[\\;,]/g, '\\$&').replace(/\r?\n/g, '\\n');
