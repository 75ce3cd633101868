import { z } from 'zod';
import type { Json } from '../../contract/macro';
import type { Mistake } from './parse';

type Found = Omit<Mistake, 'macro'>;

/** What is wrong with the schema of an answer. */
export function answerSchemaMistakes(schema: Record<string, Json>, path: string): Found[] {
  const patterns = patternsIn(schema, path);
  if (patterns.length > 0)
    return patterns.map((at) => ({
      path: at,
      message: 'a regular expression may never finish',
      hint: 'Leave it out and describe the form in the prompt; enum, format and maxLength are available.',
    }));
  try {
    z.fromJSONSchema(schema);
    return [];
  } catch (error) {
    const why = error instanceof Error ? error.message : 'unknown error';
    const hint = 'Write one like {"type": "object", "properties": {"total": {"type": "number"}}}.';
    return [{ path, message: `the JSON Schema cannot be used: ${why}`, hint }];
  }
}

/** Keywords of JSON Schema whose values are regular expressions. */
const PATTERNS = new Set(['pattern', 'patternProperties']);
/** Keywords whose value is data. */
const DATA = new Set(['const', 'default', 'enum', 'examples']);
/** Keywords whose value has a schema under each name; a name may read like a keyword. */
const NAMED = new Set(['properties', '$defs', 'definitions', 'dependentSchemas']);

function patternsIn(schema: Json, path: string): string[] {
  return entriesOf(schema, path).flatMap(([key, value, at]) => {
    if (PATTERNS.has(key)) return [at];
    if (DATA.has(key)) return [];
    if (!NAMED.has(key)) return patternsIn(value, at);
    return entriesOf(value, at).flatMap(([, one, place]) => patternsIn(one, place));
  });
}

function entriesOf(value: Json, path: string): [key: string, value: Json, path: string][] {
  if (Array.isArray(value)) return value.map((one, at) => ['', one, `${path}[${at}]`]);
  if (value === null || typeof value !== 'object') return [];
  return Object.entries(value).map(([key, one]) => [key, one, `${path}.${key}`]);
}
