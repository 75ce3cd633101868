/** mulberry32: numbers from 0 to 1, the same on every machine. */
export function seeded(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

export function shuffled<T>(cards: readonly T[], random: () => number): T[] {
  return cards
    .map((card) => ({ card, at: random() }))
    .sort((one, other) => one.at - other.at)
    .map(({ card }) => card);
}
