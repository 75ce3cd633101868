import { BatchgateError } from '../contract/errors';

const PART = /^(?:"((?:[^"]|"")+)"|([^".]+))(?:\.|$)/;

/**
 * The parts of `name` or `schema.name`, with double quotes around a part that has a dot or a quote in it. Nothing is
 * folded.
 * @throws BatchgateError `INVALID_INPUT`
 */
export function tableNameParts(given: string): string[] {
  const parts: string[] = [];
  for (let rest = given; rest !== '';) {
    const [whole, quoted, plain] = PART.exec(rest) ?? [];
    if (whole === undefined || parts.length === 2 || (whole === rest && whole.endsWith('.'))) {
      throw new BatchgateError(
        'INVALID_INPUT',
        `'${given}' is no name of a table.`,
        'Write "name" or "schema.name", with double quotes around a part that has a dot in it.',
      );
    }
    parts.push(quoted?.replaceAll('""', '"') ?? plain ?? '');
    rest = rest.slice(whole.length);
  }
  return parts;
}
