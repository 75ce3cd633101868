/** Copies an object without these fields. */
export function without<T extends object, K extends keyof T>(whole: T, ...fields: readonly K[]): Omit<T, K> {
  const rest = { ...whole };
  for (const field of fields) delete rest[field];
  return rest;
}
