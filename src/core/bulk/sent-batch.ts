import type { Ranges, RunBatchInput, SentBatch } from '../../contract/activities';

/** Compacts a batch for its activity, because the history stores each of them. */
export function sentBatch(batch: RunBatchInput): SentBatch {
  const { asked, indexes, skipped, edition, confirmed, ...rest } = batch;
  const { question, ...decision } = confirmed;
  const { attempt: _, digest: __, ...answer } = question ?? {};
  return {
    ...rest,
    ...(asked.length > indexes.length && { asked: rangesOf(asked) }),
    indexes: rangesOf(indexes),
    ...(skipped.length > 0 && { skipped }),
    ...(edition !== 1 && { edition }),
    confirmed: { ...decision, ...(question && { question: answer }) },
  };
}

/** Restores the whole batch. */
export function receivedBatch(batch: SentBatch): RunBatchInput {
  const { asked, indexes, skipped = [], edition = 1, confirmed, ...rest } = batch;
  const { attempt, digest } = rest;
  const { question, ...decision } = confirmed;
  return {
    ...rest,
    ...{ asked: placesIn(asked ?? indexes), indexes: placesIn(indexes), skipped, edition },
    confirmed: { ...decision, ...(question && { question: { attempt, digest, ...question } }) },
  };
}

function rangesOf(places: readonly number[]): Ranges {
  const ranges: Ranges = [];
  for (const place of places) {
    const last = ranges.at(-1);
    if (last?.[1] === place) last[1]++;
    else ranges.push([place, place + 1]);
  }
  return ranges;
}

const placesIn = (ranges: Ranges): number[] =>
  ranges.flatMap(([from, to]) => Array.from({ length: to - from }, (_, at) => from + at));
