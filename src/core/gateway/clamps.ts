import { z } from 'zod';
import { characters } from '../../contract/text';
import { toolFailure } from './errors';
import { behind, showPath, type Path, type Resolved } from './refs';

/**
 * Applies the safety clamps to arguments (specification G2). Ids, keys, titles and names that are too long are refused, because
 * a cut id is another id. A `limit` above `maxLimit` becomes `maxLimit`, because fewer rows do no harm.
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
      const element = elementOf(schema);
      const each = declaredClamp(element) ?? clamp;
      return value.map((member, at) => field(member, [...path, at], element, each));
    }
    if (value === null || typeof value !== 'object') return value;
    return Object.fromEntries(
      Object.entries(value).map(([name, member]) => {
        const memberSchema = fieldOf(schema, name);
        const own = declaredClamp(memberSchema) ?? clampByName(name);
        return [name, field(member, [...path, name], memberSchema, own)];
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

/** The schema's own maximum, which applies if it is lower. */
function maximumOf(schema: z.ZodType | undefined): number {
  const number = core(schema);
  return number instanceof z.ZodNumber ? (number.maxValue ?? Infinity) : Infinity;
}

function tooLong(tool: string, path: Path, resolved: readonly Resolved[], length: number, longest: number) {
  const from = behind(path, resolved);
  const place = showPath(from?.path ?? path);
  const what = from ? `a field in the data of ${from.ref}` : 'it';
  return toolFailure(
    'too_long',
    `${tool}: ${place}: ${what} has ${length} characters, of at most ${longest}.`,
    {
      tool,
      path: place,
    },
  );
}

/**
 * - `id`: ids and keys, at most 150 characters; `name`: titles and names, at most 500 (specification G2).
 * - `limit`: a maximum count; a value above the operator's own limit is lowered to it.
 * - `none`: free data. Neither the field nor anything within it is clamped, regardless of its name.
 */
const CLAMPS = ['id', 'name', 'limit', 'none'] as const;
type Clamp = (typeof CLAMPS)[number];

export const CLAMP_LENGTHS: Partial<Record<Clamp, number>> = { id: 150, name: 500 };

const LIMITS = ['limit', 'page_size', 'max_results'];

export const isClamp = (value: unknown): value is Clamp => CLAMPS.includes(value as Clamp);

/** The clamp that `.meta({ clamp })` of a schema declares. It overrides that of the field's name. */
function declaredClamp(schema: z.ZodType | undefined): Clamp | undefined {
  for (let it = schema; it; it = innerOf(it)) {
    const clamp = it.meta()?.['clamp'];
    if (isClamp(clamp)) return clamp;
  }
  return undefined;
}

/** `id`, `board_id`, `itemIds`, `key` … and `title`, `display_name`, `names` …; `limit`, `page_size`, `max_results`. */
function clampByName(field: string): Clamp | undefined {
  const snake = field.replace(/([a-z0-9])([A-Z])/g, '$1_$2').toLowerCase();
  if (LIMITS.includes(snake)) return 'limit';
  const last = snake.split(/[^a-z0-9]+/).at(-1) ?? '';
  if (/^(?:id|key)s?$/.test(last)) return 'id';
  return /^(?:title|name)s?$/.test(last) ? 'name' : undefined;
}

/** The schema inside `.optional()`, `.default()`, `.nullable()` and the like. */
function innerOf(schema: z.ZodType): z.ZodType | undefined {
  const { innerType } = schema.def as { innerType?: z.ZodType };
  return innerType;
}
