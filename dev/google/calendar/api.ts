/** Google's error shape (https://developers.google.com/workspace/calendar/api/guides/errors). */
export class ApiError extends Error {
  constructor(
    readonly status: number,
    readonly reason: string,
    message: string,
    private readonly where?: { readonly location: string; readonly locationType: string },
  ) {
    super(message);
  }

  get body() {
    const { status: code, reason, message, where } = this;
    return { error: { errors: [{ domain: 'global', reason, message, ...where }], code, message } };
  }
}

export const notFound = () => new ApiError(404, 'notFound', 'Not Found');
export const invalid = (message: string) => new ApiError(400, 'invalid', message);
export const deleted = () => new ApiError(410, 'deleted', 'Resource has been deleted');

export interface CalendarRequest {
  readonly method: string;
  /** The path with its query. */
  readonly path: string;
  readonly authorized: boolean;
  readonly ifMatch?: string;
  readonly body: string;
}
export interface CalendarAnswer {
  readonly status: number;
  readonly type: string;
  readonly body: string;
}

type Parameters = ReadonlyMap<string, string>;
const EVERYWHERE = ['alt', 'fields', 'prettyPrint'];

/** Reads the supported parameters. Refuses others, because Google may support them, and this calendar does not. */
export function readParameters(query: URLSearchParams, names: readonly string[]): Parameters {
  const parameters = new Map(query);
  const strange = [...parameters.keys()].filter((name) => ![...names, ...EVERYWHERE].includes(name));
  if (strange.length === 0) return parameters;
  throw new ApiError(
    501,
    'notImplemented',
    `The local calendar does not know the parameter ${strange.join(', ')}`,
  );
}

export function flag(parameters: Parameters, name: string): boolean {
  const value = parameters.get(name);
  if (value === undefined || value === 'true' || value === 'false') return value === 'true';
  throw invalid(`Invalid boolean value for ${name}: ${value}`);
}

export function pageSize(parameters: Parameters, byDefault: number, most: number): number {
  const value = Number(parameters.get('maxResults') ?? byDefault);
  if (!Number.isInteger(value) || value < 1) throw invalid('Invalid value for maxResults');
  return Math.min(value, most);
}

export function moment(parameters: Parameters, name: string): number | undefined {
  const value = parameters.get(name);
  if (value === undefined) return undefined;
  const instant = Date.parse(value);
  if (/(Z|[+-]\d\d:\d\d)$/.test(value) && !Number.isNaN(instant)) return instant;
  throw new ApiError(400, 'badRequest', 'Bad Request');
}

/** One page of a list, cut before filtering: pages may be short, and empty. */
export function cutPage<T>(parameters: Parameters, all: readonly T[], size: number) {
  const token = parameters.get('pageToken');
  const decoded = token === undefined ? '0' : Buffer.from(token, 'base64url').toString();
  if (!/^\d{1,9}$/.test(decoded)) throw invalid('Invalid page token');
  const from = Number(decoded);
  const end = from + size;
  const next = end < all.length ? { nextPageToken: Buffer.from(String(end)).toString('base64url') } : {};
  return { page: all.slice(from, end), next };
}

/** The selected fields of a resource; undefined means all of it. */
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
    const selection: Selection = new Map();
    do {
      const name = tokens[at++] ?? '';
      if (!/^[A-Za-z]+$/.test(name)) throw invalid(`Invalid field selection ${text}`);
      selection.set(name, below());
    } while (tokens[at] === ',' && at++ >= 0);
    return selection;
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
  const selection = list();
  if (at < tokens.length) throw invalid(`Invalid field selection ${text}`);
  return selection;
}

function select(value: unknown, selection: Selection | undefined): unknown {
  if (selection === undefined || typeof value !== 'object' || value === null) return value;
  if (Array.isArray(value)) return value.map((element) => select(element, selection));
  return Object.fromEntries(
    Object.entries(value)
      .filter(([name]) => selection.has(name))
      .map(([name, inner]) => [name, select(inner, selection.get(name))]),
  );
}
