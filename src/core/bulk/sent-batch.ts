import type { Ranges, RunBatchInput, SentBatch } from '../../contract/activities';

/** A batch as its operation sends it: a history has each of them. */
export function sentBatch(batch: RunBatchInput): SentBatch {
  const { asked, indexes, skipped, edition, confirmed, ...rest } = batch;
  const { question, ...decision } = confirmed;
  const { attempt: _, digest: __, ...answered } = question ?? {};
  return {
    ...rest,
    ...(asked.length > indexes.length && { asked: rangesOf(asked) }),
    indexes: rangesOf(indexes),
    ...(skipped.length > 0 && { skipped }),
    ...(edition !== 1 && { edition }),
    confirmed: { ...decision, ...(question && { question: answered }) },
  };
}

/** The whole batch again. */
export function receivedBatch(sent: SentBatch): RunBatchInput {
  const { asked, indexes, skipped = [], edition = 1, confirmed, ...rest } = sent;
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
