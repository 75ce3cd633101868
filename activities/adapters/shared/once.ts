/** Does its work at the first call, and gives every call the same result. */
export function once<T>(work: () => Promise<T>): () => Promise<T> {
  let made: Promise<T> | undefined;
  return () => (made ??= work());
}
