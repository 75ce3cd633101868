import { z } from 'zod';
import { CLAMP_LENGTHS, clampOf, innerOf, type Clamp } from './clamp-fields';
import { characters } from '../../contract/text';
import { toolFailure } from './errors';
import { behind, showPath, type Path, type Resolved } from './path';

/**
 * Holds arguments against the safety clamps (seed 002): texts of ids, keys, titles and names that are too long are
 * refused, because a cut id is another id; `limit`s above `maxLimit` become it, because fewer of the same is no harm.
 * @throws BatchgateError `TOOL_FAILED` naming the field.
 */
export function clampArguments(
  tool: { readonly name: string; readonly args: z.ZodObject },
  args: unknown,
  resolved: readonly Resolved[],
  maxLimit: number,
): unknown {
  const field = (value: unknown, path: Path, schema: z.ZodType | undefined, clamp: Clamp | undefined) => {
    if (clamp === 'none') return value;
    if (clamp === 'limit' && typeof value === 'number') return Math.min(value, maxLimit, maximumOf(schema));
    const longest = clamp && CLAMP_LENGTHS[clamp];
    const length = typeof value === 'string' ? characters(value) : 0;
    if (longest !== undefined && length > longest) throw tooLong(tool.name, path, resolved, length, longest);
    return members(value, path, schema, clamp);
  };
  const members = (
    value: unknown,
    path: Path,
    schema: z.ZodType | undefined,
    clamp: Clamp | undefined,
  ): unknown => {
    if (Array.isArray(value)) {
      // A list of ids is as narrow as an id.
      return value.map((member, at) => field(member, [...path, at], elementOf(schema), clamp));
    }
    if (value === null || typeof value !== 'object') return value;
    return Object.fromEntries(
      Object.entries(value).map(([name, member]) => {
        const its = fieldOf(schema, name);
        return [name, field(member, [...path, name], its, clampOf(name, its))];
      }),
    );
  };
  return members(args, [], tool.args, undefined);
}

function core(schema: z.ZodType | undefined): z.ZodType | undefined {
  const inner = schema && innerOf(schema);
  return inner ? core(inner) : schema;
}

function fieldOf(schema: z.ZodType | undefined, name: string): z.ZodType | undefined {
  const object = core(schema);
  if (!(object instanceof z.ZodObject)) return undefined;
  const shape = object.shape as Record<string, z.ZodType>;
  return Object.hasOwn(shape, name) ? shape[name] : undefined;
}

function elementOf(schema: z.ZodType | undefined): z.ZodType | undefined {
  const array = core(schema);
  return array instanceof z.ZodArray ? (array.element as z.ZodType) : undefined;
}

/** A schema's own limit is the lower one where it says so. */
function maximumOf(schema: z.ZodType | undefined): number {
  const number = core(schema);
  return number instanceof z.ZodNumber ? (number.maxValue ?? Infinity) : Infinity;
}

function tooLong(tool: string, path: Path, resolved: readonly Resolved[], length: number, longest: number) {
  const from = behind(path, resolved);
  const shown = showPath(from?.path ?? path);
  const what = from ? `a field in the data of ${from.ref}` : 'it';
  return toolFailure(
    'too_long',
    `${tool}: ${shown}: ${what} has ${length} characters, of at most ${longest}.`,
    {
      tool,
      path: shown,
    },
  );
}
