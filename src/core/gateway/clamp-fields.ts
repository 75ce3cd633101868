import type { z } from 'zod';

/**
 * - `id`: ids and keys, at most 150 characters; `name`: titles and names, at most 500 (seed 002, safety clamps).
 * - `limit`: how many at most; what is above the operator's own limit becomes that limit.
 * - `none`: whatever the field is called, and all that is in it: free data.
 */
const CLAMPS = ['id', 'name', 'limit', 'none'] as const;
export type Clamp = (typeof CLAMPS)[number];

export const CLAMP_LENGTHS: Partial<Record<Clamp, number>> = { id: 150, name: 500 };

const LIMITS = ['limit', 'page_size', 'max_results'];

export const isClamp = (value: unknown): value is Clamp => CLAMPS.includes(value as Clamp);

/** What a field's schema says of itself by `.meta({ clamp })`, else what its name says. */
export function clampOf(field: string, schema: z.ZodType | undefined): Clamp | undefined {
  for (let it = schema; it; it = innerOf(it)) {
    const clamp = it.meta()?.['clamp'];
    if (isClamp(clamp)) return clamp;
  }
  return clampByName(field);
}

/** `id`, `board_id`, `itemIds`, `key` … and `title`, `display_name`, `names` …; `limit`, `page_size`, `max_results`. */
function clampByName(field: string): Clamp | undefined {
  const snake = field.replace(/([a-z0-9])([A-Z])/g, '$1_$2').toLowerCase();
  if (LIMITS.includes(snake)) return 'limit';
  const last = snake.split(/[^a-z0-9]+/).at(-1) ?? '';
  if (/^(?:id|key)s?$/.test(last)) return 'id';
  return /^(?:title|name)s?$/.test(last) ? 'name' : undefined;
}

/** What is under `.optional()`, `.default()`, `.nullable()` and the like. */
export function innerOf(schema: z.ZodType): z.ZodType | undefined {
  const { innerType } = schema.def as { innerType?: z.ZodType };
  return innerType;
}
