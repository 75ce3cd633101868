/** The events of all sources, in the order of arrival. */
export async function* merged<T>(sources: readonly AsyncIterable<T>[]): AsyncGenerator<T> {
  const next = async (source: AsyncIterator<T>) => ({ source, result: await source.next() });
  const pending = new Map(
    sources.map((each) => each[Symbol.asyncIterator]()).map((source) => [source, next(source)]),
  );
  while (pending.size > 0) {
    const { source, result } = await Promise.race(pending.values());
    if (result.done) pending.delete(source);
    else {
      pending.set(source, next(source));
      yield result.value;
    }
  }
}
