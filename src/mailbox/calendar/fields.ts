import { invalid } from './api';

/** What of a resource is wanted; undefined: all of it. */
type Selection = Map<string, Selection | undefined>;

/**
 * Partial responses (https://developers.google.com/workspace/calendar/api/guides/performance): names, lists,
 * `a/b` and `a(b,c)`; no wildcards.
 */
export function selectFields(resource: unknown, fields: string | undefined): unknown {
  return fields === undefined ? resource : select(resource, parse(fields));
}

function parse(text: string): Selection {
  const tokens = text.match(/[A-Za-z]+|[(),/]|./g) ?? [];
  let at = 0;
  const list = (): Selection => {
    const chosen: Selection = new Map();
    do {
      const name = tokens[at++] ?? '';
      if (!/^[A-Za-z]+$/.test(name)) throw invalid(`Invalid field selection ${text}`);
      chosen.set(name, below());
    } while (tokens[at] === ',' && at++ >= 0);
    return chosen;
  };
  const below = (): Selection | undefined => {
    if (tokens[at] === '/') {
      at += 1;
      const name = tokens[at++] ?? '';
      return new Map([[name, below()]]);
    }
    if (tokens[at] !== '(') return undefined;
    at += 1;
    const inner = list();
    if (tokens[at++] !== ')') throw invalid(`Invalid field selection ${text}`);
    return inner;
  };
  const chosen = list();
  if (at < tokens.length) throw invalid(`Invalid field selection ${text}`);
  return chosen;
}

function select(value: unknown, chosen: Selection | undefined): unknown {
  if (chosen === undefined || typeof value !== 'object' || value === null) return value;
  if (Array.isArray(value)) return value.map((one) => select(one, chosen));
  return Object.fromEntries(
    Object.entries(value)
      .filter(([name]) => chosen.has(name))
      .map(([name, inner]) => [name, select(inner, chosen.get(name))]),
  );
}
