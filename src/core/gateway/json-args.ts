/** Deeper arguments are a mistake, or an attack on whoever walks them. */
export const MAX_DEPTH = 64;

/** A field of this name would change what an object is, wherever it is copied by assignment. */
export const isSafeKey = (name: string) => name !== '__proto__';
