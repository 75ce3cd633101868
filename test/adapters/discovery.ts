import { readFileSync } from 'node:fs';
import { join } from 'node:path';

/** The parts of a discovery document that are read here (https://developers.google.com/discovery/v1/reference/apis). */
interface Schema {
  $ref?: string;
  type?: string;
  format?: string;
  enum?: string[];
  items?: Schema;
  properties?: Record<string, Schema>;
  additionalProperties?: Schema;
}
interface Method {
  httpMethod: string;
  path: string;
  parameters: Record<string, Schema & { location: 'path' | 'query'; required?: boolean }>;
  request?: string;
  response?: string;
}
interface Document {
  servicePath: string;
  parameters: Record<string, Schema>;
  methods: Record<string, Method>;
  schemas: Record<string, Schema>;
}

const document = JSON.parse(
  readFileSync(join(__dirname, 'google-calendar.discovery.json'), 'utf8'),
) as Document;

interface Exchange {
  readonly method: string;
  readonly url: URL;
  readonly body: string;
  readonly status: number;
  readonly answer: string;
}

/** Describes each deviation of a request or its answer from the API. */
export function mistakesIn({ method, url, body, status, answer }: Exchange): string[] {
  const found = Object.entries(document.methods).find(
    ([, one]) => one.httpMethod === method && patternOf(one).test(url.pathname),
  );
  if (found === undefined) return [`${method} ${url.pathname} is no method of the API`];
  const [name, known] = found;
  const mistakes = [...url.searchParams].flatMap(([parameter, value]) => {
    const schema = known.parameters[parameter] ?? document.parameters[parameter];
    return schema === undefined
      ? [`unknown parameter ${parameter}`]
      : parameterMistakes(parameter, value, schema);
  });
  const required = Object.entries(known.parameters).filter(
    ([, one]) => one.required && one.location === 'query',
  );
  mistakes.push(
    ...required.flatMap(([one]) => (url.searchParams.has(one) ? [] : [`parameter ${one} is missing`])),
  );
  if (known.request === undefined) mistakes.push(...(body === '' ? [] : ['a body where none is taken']));
  else mistakes.push(...valueMistakes(JSON.parse(body), { $ref: known.request }, 'request'));
  if (status >= 300) mistakes.push(...errorMistakes(status, JSON.parse(answer)));
  else if (known.response === undefined)
    mistakes.push(...(answer === '' ? [] : ['an answer where none is given']));
  else mistakes.push(...valueMistakes(JSON.parse(answer), { $ref: known.response }, 'answer'));
  return mistakes.map((mistake) => `${name}: ${mistake}`);
}

function patternOf({ path }: Method): RegExp {
  return new RegExp(`^/${document.servicePath}${path.replace(/\{\w+\}/g, '[^/]+')}$`);
}

function parameterMistakes(name: string, text: string, schema: Schema): string[] {
  const value =
    schema.type === 'boolean'
      ? { true: true, false: false }[text]
      : schema.type === 'integer'
        ? Number(text)
        : text;
  return valueMistakes(value, schema, `parameter ${name}`);
}

function valueMistakes(value: unknown, schema: Schema, at: string): string[] {
  if (schema.$ref !== undefined) return valueMistakes(value, document.schemas[schema.$ref]!, at);
  // A patch removes a field with null (https://developers.google.com/workspace/calendar/api/guides/performance#patch).
  const is = Array.isArray(value) ? 'array' : value === null ? 'null' : typeof value;
  if (is === 'null') return [];
  const type = schema.type === 'integer' ? 'number' : schema.type;
  if (type !== 'any' && is !== type) return [`${at} is ${is}, not ${schema.type}`];
  if (Array.isArray(value))
    return value.flatMap((one, n) => valueMistakes(one, schema.items ?? {}, `${at}[${n}]`));
  if (typeof value === 'object' && value !== null) {
    return Object.entries(value).flatMap(([name, one]) => {
      const inner = schema.properties?.[name] ?? schema.additionalProperties;
      return inner === undefined ? [`${at}.${name} is unknown`] : valueMistakes(one, inner, `${at}.${name}`);
    });
  }
  if (schema.enum !== undefined && !schema.enum.includes(String(value)))
    return [`${at} is not one of ${schema.enum.join()}`];
  // A time in a request may omit its offset, because the request can name a time zone instead.
  const local = schema.format === 'date-time' && at.startsWith('request') ? `${String(value)}Z` : undefined;
  const format = FORMATS[schema.format ?? ''];
  const fits =
    format === undefined || format.test(String(value)) || (local !== undefined && format.test(local));
  return fits ? [] : [`${at} is no ${schema.format}: ${String(value)}`];
}

const FORMATS: Record<string, RegExp> = {
  int32: /^-?\d+$/,
  date: /^\d{4}-\d\d-\d\d$/,
  'date-time': /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?(Z|[+-]\d\d:\d\d)$/,
};

/** https://developers.google.com/workspace/calendar/api/guides/errors */
function errorMistakes(status: number, answer: unknown): string[] {
  const { error } = answer as {
    error?: { code?: unknown; message?: unknown; errors?: { reason?: unknown }[] };
  };
  const whole =
    error?.code === status &&
    typeof error.message === 'string' &&
    typeof error.errors?.[0]?.reason === 'string';
  return whole ? [] : [`the error ${status} is not written as Google writes it`];
}
