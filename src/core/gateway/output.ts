import { characters, cutAt } from '../../contract/text';
import { showPath, type Path } from './refs';

/** Models count in tokens of their own. Four characters of JSON per token is the usual estimate for English text. */
const CHARACTERS_PER_TOKEN = 4;

/** The maximum size of the list of cuts. */
const MARKER = 300;

/** The envelope of a result that was too large. */
interface CutResult {
  readonly truncated: true;
  /** A list of the cuts, each with its place. */
  readonly marker: string;
  readonly result: unknown;
}

/**
 * Limits the size of a result. A result that is too large is cut and put into an envelope, so that the part is not
 * mistaken for the whole. Lists lose their last elements, texts their end; fields are kept, the small ones whole.
 */
export function guardOutput(value: unknown, limitTokens: number): unknown {
  const limit = limitTokens * CHARACTERS_PER_TOKEN;
  const size = sizeOf(value);
  if (size <= limit) return value;
  const cuts: string[] = [];
  const result = cut(value, Math.max(0, limit - MARKER - ENVELOPE), [], cuts);
  return { truncated: true, marker: markerOf(cuts, size, limitTokens), result } satisfies CutResult;
}

const sizeOf = (value: unknown) => JSON.stringify(value).length;
const ENVELOPE = sizeOf({ truncated: true, marker: '', result: 0 });

function markerOf(cuts: readonly string[], size: number, limitTokens: number): string {
  const whole = `[TRUNCATED] The result had ${size} characters, of at most ${limitTokens * CHARACTERS_PER_TOKEN} (${limitTokens} tokens).`;
  const text = [whole, ...cuts.slice(0, 3)].join(' ');
  // JSON may escape characters of the paths.
  return text.length <= MARKER && sizeOf(text) <= MARKER + 2 ? text : whole;
}

function cut(value: unknown, room: number, path: Path, cuts: string[]): unknown {
  if (sizeOf(value) <= room) return value;
  if (typeof value === 'string') return cutText(value, room, path, cuts);
  if (Array.isArray(value)) return cutList(value, room, path, cuts);
  if (value !== null && typeof value === 'object') return cutFields(value, room, path, cuts);
  // A number, boolean or null is not reported as a cut of its own.
  return value;
}

const at = (path: Path) => (path.length === 0 ? 'the result' : showPath(path));

function cutText(text: string, room: number, path: Path, cuts: string[]): string {
  let length = Math.max(0, Math.min(text.length, room - 2));
  // Escaped characters are longer in JSON.
  while (length > 0 && sizeOf(text.slice(0, length)) > room) {
    length = Math.floor((length * room) / sizeOf(text.slice(0, length)));
  }
  const start = cutAt(text, length);
  cuts.push(`${at(path)}: ${characters(start)} of ${characters(text)} characters.`);
  return start;
}

function cutList(list: readonly unknown[], room: number, path: Path, cuts: string[]): unknown[] {
  const elements: unknown[] = [];
  let free = room - 2;
  for (const element of list) {
    free -= sizeOf(element) + 1;
    if (free < 0) break;
    elements.push(element);
  }
  // If the first element of a list is too large, the beginning of that element is kept.
  if (elements.length === 0 && list.length > 0 && room - 2 >= smallest(list[0], Infinity)) {
    elements.push(cut(list[0], room - 2, [...path, 0], cuts));
  }
  cuts.push(`${at(path)}: ${elements.length} of ${list.length} elements.`);
  return elements;
}

/** Each field gets an equal share of the room; unused room of small fields goes to the larger ones. */
function cutFields(object: object, room: number, path: Path, cuts: string[]): Record<string, unknown> {
  const fields = Object.entries(object).map(([name, value]) => ({
    name,
    value: value as unknown,
    size: sizeOf(value),
    key: sizeOf(name) + 2,
  }));
  const smallFirst = [...fields].sort((a, b) => a.key + a.size - b.key - b.size);
  const rooms = new Map<string, number>();
  let free = room - 2;
  smallFirst.forEach(({ name, value, key, size }, index) => {
    const share = Math.floor(free / (smallFirst.length - index)) - key;
    const granted = Math.min(size, share);
    if (granted < smallest(value, size)) return;
    rooms.set(name, granted);
    free -= granted + key;
  });
  const included = fields.filter(({ name }) => rooms.has(name));
  if (included.length < fields.length) {
    cuts.push(`${at(path)}: ${included.length} of ${fields.length} fields.`);
  }
  return Object.fromEntries(
    included.map(({ name, value }) => [name, cut(value, rooms.get(name) ?? 0, [...path, name], cuts)]),
  );
}

/** The smallest size to which a value can be cut: an empty list, object or text. A number cannot be cut. */
function smallest(value: unknown, size: number): number {
  return typeof value === 'string' || (typeof value === 'object' && value !== null) ? 2 : size;
}
