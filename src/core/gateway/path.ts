import type { Place } from '../../contract/tools';

export type Path = Place;

/** `items[3].id`; the arguments themselves are `arguments`. */
export function showPath(path: Path): string {
  const shown = path.map((part) => (typeof part === 'number' ? `[${part}]` : `.${part}`)).join('');
  return shown === '' ? 'arguments' : shown.replace(/^\./, '');
}

/** Where data of the scratchpad was put into the arguments. */
export interface Resolved {
  readonly path: Path;
  readonly ref: string;
}

/** The reference that a path leads into. What lies behind one is data, and is told to nobody. */
export function behind(path: Path, resolved: readonly Resolved[]): Resolved | undefined {
  return resolved.find((it) => it.path.every((part, at) => part === path[at]));
}
