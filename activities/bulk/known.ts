import type { NamedItem, OutcomeDetail, PlannedItem } from '../../src/contract/items';
import { batchAt, isRamp, largestOf, sliceOf, type Ramp } from '../../src/core/bulk/ramp';
import { fitting } from '../../src/core/shared/bounds';
import { detailOf, namedRow } from './evidence';

/** The maximum bytes of the names of items that are not in the question. */
const MAX_NAMES_BYTES = 32_000;

/**
 * What a workflow learns with a plan: the items of the first question and, as far as they fit, the names of the others,
 * first of those in doubt, failed and skipped.
 */
export function knownAtFirst(
  rows: readonly (PlannedItem & OutcomeDetail)[],
  codes: string,
  ramp: Ramp,
): NamedItem[] {
  const next = codes.indexOf('p');
  // Where the first batch of a ramp ends depends on what was skipped.
  const asked = isRamp(ramp)
    ? { from: next, to: next + largestOf(ramp) }
    : sliceOf(ramp, rows.length, batchAt(ramp, next));
  const isAsked = ({ index }: PlannedItem) => next >= 0 && index >= asked.from && index < asked.to;
  const others = rows.filter((row) => !isAsked(row));
  const names = [...'dfkps'].flatMap((code) =>
    others
      .filter(({ index }) => codes[index] === code)
      .map(({ index, id, display_name, ...row }) => ({ index, id, display_name, detail: detailOf(row) })),
  );
  return [...rows.filter(isAsked).map(namedRow), ...fitting(names, MAX_NAMES_BYTES)];
}
