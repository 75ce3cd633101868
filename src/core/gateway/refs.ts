import { MAX_DEPTH } from '../../contract/text';
import { toolFailure } from './errors';
import type { ValuePath } from '../../contract/tools';

export type Path = ValuePath;

/** Formats a path as `items[3].id`, and the empty path as `arguments`. */
export function showPath(path: Path): string {
  const text = path.map((part) => (typeof part === 'number' ? `[${part}]` : `.${part}`)).join('');
  return text === '' ? 'arguments' : text.replace(/^\./, '');
}

/** A place in the arguments into which data of the scratchpad was put. */
export interface Resolved {
  readonly path: Path;
  readonly ref: string;
}

/** The reference that a path leads into. The data of a reference is never shown. */
export function behind(path: Path, resolved: readonly Resolved[]): Resolved | undefined {
  return resolved.find((place) => place.path.every((part, at) => part === path[at]));
}

/** A field named `__proto__` would change an object's prototype wherever it is copied by assignment. */
const isSafeKey = (name: string) => name !== '__proto__';

const PREFIX = 'ref:';
/** A whole text of this form stands for the value of the key in the session's scratchpad. */
const REF = /^ref:(\S+)$/;

/** The characters of all scratchpad data that one call may receive, as JSON. */
const MAX_RESOLVED_CHARACTERS = 4_000_000;

const keyOf = (value: unknown) => (typeof value === 'string' ? REF.exec(value)?.[1] : undefined);

/**
 * The places whose templates begin with `ref:` before anything is filled in. The value of a placeholder is data, even
 * if it looks like a reference.
 */
export function writtenRefs(templates: unknown): Path[] {
  if (typeof templates === 'string') return templates.startsWith(PREFIX) ? [[]] : [];
  if (templates === null || typeof templates !== 'object') return [];
  return Object.entries(templates).flatMap(([name, member]) => {
    const step = Array.isArray(templates) ? Number(name) : name;
    return writtenRefs(member).map((place) => [step, ...place]);
  });
}

/** Returns a test for the paths at which a text may be a reference: all of them, unless `places` are given. */
function mayReferAt(places: readonly Path[] | undefined): (path: Path) => boolean {
  if (places === undefined) return () => true;
  const allowed = new Set(places.map((place) => JSON.stringify(place)));
  return (path) => allowed.has(JSON.stringify(path));
}

/**
 * The keys that the arguments refer to, at any depth, each once; with `places`, only at these.
 * @throws BatchgateError `TOOL_FAILED` when the arguments are not plain JSON, or nested too deeply.
 */
export function findRefs(tool: string, args: unknown, places?: readonly Path[]): string[] {
  const mayRefer = mayReferAt(places);
  const keys = new Set<string>();
  walk(tool, args, [], [], (value, path) => {
    const key = keyOf(value);
    if (key !== undefined && mayRefer(path)) keys.add(key);
  });
  return [...keys];
}

function walk(
  tool: string,
  value: unknown,
  path: Path,
  parents: readonly object[],
  visit: (value: unknown, path: Path) => void,
): void {
  visit(value, path);
  if (value === null || typeof value !== 'object') return;
  if (parents.includes(value)) throw unreadable(tool, path, 'contains itself');
  if (parents.length >= MAX_DEPTH) throw unreadable(tool, [], `are nested deeper than ${MAX_DEPTH} levels`);
  for (const [name, member] of Object.entries(value)) {
    const step = [...path, Array.isArray(value) ? Number(name) : name];
    if (!isSafeKey(name)) throw unreadable(tool, step, 'is no name for a field');
    walk(tool, member, step, [...parents, value], visit);
  }
}

function unreadable(tool: string, path: Path, why: string) {
  return toolFailure('arguments_unreadable', `${tool}: ${showPath(path)} ${why}.`, { tool });
}

/** The arguments with each reference replaced by its data. */
export interface Injected {
  readonly args: unknown;
  readonly resolved: readonly Resolved[];
}

/**
 * Replaces each reference with its data; with `places`, only at these. A text within the data that looks like a
 * reference stays as it is.
 * @throws BatchgateError `TOOL_FAILED` when a key is missing, or all of it is too large.
 */
export function injectRefs(
  tool: string,
  args: unknown,
  data: ReadonlyMap<string, unknown>,
  places?: readonly Path[],
): Injected {
  const mayRefer = mayReferAt(places);
  const resolved: Resolved[] = [];
  let budget = MAX_RESOLVED_CHARACTERS;
  const inject = (value: unknown, path: Path): unknown => {
    const key = keyOf(value);
    if (key !== undefined && mayRefer(path)) {
      const ref = `ref:${key}`;
      if (!data.has(key)) throw missing(tool, path, ref);
      const text = JSON.stringify(data.get(key));
      budget -= text.length;
      if (budget < 0) throw tooLarge(tool, path, ref);
      resolved.push({ path, ref });
      // Each place gets its own copy.
      return JSON.parse(text);
    }
    if (Array.isArray(value)) return value.map((member, at) => inject(member, [...path, at]));
    if (value === null || typeof value !== 'object') return value;
    return Object.fromEntries(
      Object.entries(value).map(([name, member]) => [name, inject(member, [...path, name])]),
    );
  };
  return { args: inject(args, []), resolved };
}

const missing = (tool: string, path: Path, ref: string) =>
  toolFailure('reference_missing', `${tool}: ${showPath(path)}: nothing is saved for ${ref}.`, {
    tool,
    path: showPath(path),
    ref,
  });

const tooLarge = (tool: string, path: Path, ref: string) =>
  toolFailure(
    'reference_too_large',
    `${tool}: ${showPath(path)}: with ${ref} the data for this call is larger than ${MAX_RESOLVED_CHARACTERS} characters.`,
    { tool, path: showPath(path), ref },
  );
