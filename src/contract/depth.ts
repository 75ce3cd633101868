/** Deeper values are a mistake, or an attack on what walks them: every stack has an end. */
export const MAX_DEPTH = 64;
export const TOO_DEEP = `is nested deeper than ${MAX_DEPTH} levels`;

/** Whether lists and objects stand within each other deeper than that. It looks level by level, without a stack of its own, and at what is shared once a level. */
export function isTooDeep(value: unknown): boolean {
  let level = new Set([value].filter(isNest));
  for (let depth = 0; depth < MAX_DEPTH && level.size > 0; depth++) {
    level = new Set([...level].flatMap((nest) => Object.values(nest).filter(isNest)));
  }
  return level.size > 0;
}

const isNest = (value: unknown): value is object => typeof value === 'object' && value !== null;
