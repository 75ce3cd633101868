import { BatchgateError } from '../../contract/errors';

const PART = /^(?:"((?:[^"]|"")+)"|([^".]+))(?:\.|$)/;

/**
 * Returns the parts of `name` or `schema.name`, with double quotes around a part that contains a dot or a quote. Keeps
 * the case.
 * @throws BatchgateError `INVALID_INPUT`
 */
export function tableNameParts(name: string): string[] {
  const parts: string[] = [];
  for (let rest = name; rest !== '';) {
    const [whole, quoted, plain] = PART.exec(rest) ?? [];
    if (whole === undefined || parts.length === 2 || (whole === rest && whole.endsWith('.'))) {
      throw new BatchgateError(
        'INVALID_INPUT',
        `'${name}' is not a table name.`,
        'Write "name" or "schema.name", with double quotes around a part that contains a dot.',
      );
    }
    parts.push(quoted?.replaceAll('""', '"') ?? plain ?? '');
    rest = rest.slice(whole.length);
  }
  return parts;
}

/** Returns the name that `tableNameParts` reads as these parts. Quotes only the parts that need it. */
export const tableNameOf = (parts: readonly string[]): string =>
  parts.map((part) => (/[".]/.test(part) ? `"${part.replaceAll('"', '""')}"` : part)).join('.');
