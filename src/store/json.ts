import { type RawBuilder, sql } from 'kysely';

/**
 * A value as a jsonb parameter. Postgres refuses NUL and halves of surrogate pairs, which a name that was cut in the
 * middle of an emoji has; they become the replacement character.
 */
export function jsonb(value: unknown): RawBuilder<string> {
  const text = JSON.stringify(value).replace(/\\\\|\\u(?:0000|d[89a-f][0-9a-f]{2})/g, (escape) =>
    escape === '\\\\' ? escape : '\ufffd',
  );
  return sql<string>`${text}::jsonb`;
}
