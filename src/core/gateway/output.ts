import { characters, cutAt } from '../../contract/text';
import { showPath, type Path } from './refs';

/** Models count in tokens of their own; four characters of JSON a token is the usual estimate for English text. */
const CHARACTERS_PER_TOKEN = 4;

/** The size that the list of cuts may take. */
const MARKER = 300;

/** The envelope of a result that was too large. */
interface CutResult {
  readonly truncated: true;
  /** What was cut, and where. */
  readonly marker: string;
  readonly result: unknown;
}

/**
 * A result within the limit: unchanged, or cut and in an envelope, so that the part is not mistaken for the whole.
 * Lists lose their last elements, texts their end; fields are kept, the small ones whole.
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
  // Paths may hold what JSON escapes.
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
  let kept = Math.max(0, Math.min(text.length, room - 2));
  // What JSON escapes is longer there.
  while (kept > 0 && sizeOf(text.slice(0, kept)) > room) {
    kept = Math.floor((kept * room) / sizeOf(text.slice(0, kept)));
  }
  const shown = cutAt(text, kept);
  cuts.push(`${at(path)}: ${characters(shown)} of ${characters(text)} characters.`);
  return shown;
}

function cutList(list: readonly unknown[], room: number, path: Path, cuts: string[]): unknown[] {
  const kept: unknown[] = [];
  let left = room - 2;
  for (const element of list) {
    left -= sizeOf(element) + 1;
    if (left < 0) break;
    kept.push(element);
  }
  // If the first element of a list is too large, the beginning of that element is kept.
  if (kept.length === 0 && list.length > 0 && room - 2 >= smallest(list[0], Infinity)) {
    kept.push(cut(list[0], room - 2, [...path, 0], cuts));
  }
  cuts.push(`${at(path)}: ${kept.length} of ${list.length} elements.`);
  return kept;
}

/** Each field gets a share; the rest of a small one's share goes to the larger ones. */
function cutFields(object: object, room: number, path: Path, cuts: string[]): Record<string, unknown> {
  const fields = Object.entries(object).map(([name, value]) => ({
    name,
    value: value as unknown,
    size: sizeOf(value),
    key: sizeOf(name) + 2,
  }));
  const smallFirst = [...fields].sort((a, b) => a.key + a.size - b.key - b.size);
  const rooms = new Map<string, number>();
  let left = room - 2;
  smallFirst.forEach(({ name, value, key, size }, index) => {
    const share = Math.floor(left / (smallFirst.length - index)) - key;
    const given = Math.min(size, share);
    if (given < smallest(value, size)) return;
    rooms.set(name, given);
    left -= given + key;
  });
  const named = fields.filter(({ name }) => rooms.has(name));
  if (named.length < fields.length) {
    cuts.push(`${at(path)}: ${named.length} of ${fields.length} fields.`);
  }
  return Object.fromEntries(
    named.map(({ name, value }) => [name, cut(value, rooms.get(name) ?? 0, [...path, name], cuts)]),
  );
}

/** An empty list, object or text; there is no half of a number. */
function smallest(value: unknown, size: number): number {
  return typeof value === 'string' || (typeof value === 'object' && value !== null) ? 2 : size;
}
