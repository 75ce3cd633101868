import type { NamedItem, OutcomeDetail, PlannedItem } from '../../src/contract/items';
import { batchAt, isRamp, largestOf, sliceOf, type Ramp } from '../../src/core/bulk/ramp';
import { fitting } from '../../src/core/shared/bounds';
import { detailOf, namedRow } from './evidence';

/** The maximum bytes of the names of items that are not in the question. */
const MAX_NAMES_BYTES = 32_000;

/**
 * Returns the items that a workflow receives with a plan: those of the first question and, as far as they fit, the
 * names of the others, in the order in doubt, failed, skipped, pending, succeeded.
 */
export function knownAtFirst(
  rows: readonly (PlannedItem & OutcomeDetail)[],
  codes: string,
  ramp: Ramp,
): NamedItem[] {
  const next = codes.indexOf('p');
  // The first batch of a ramp ends after a number of items that depends on the skipped ones.
  const question = isRamp(ramp)
    ? { from: next, to: next + largestOf(ramp) }
    : sliceOf(ramp, rows.length, batchAt(ramp, next));
  const isAsked = ({ index }: PlannedItem) => next >= 0 && index >= question.from && index < question.to;
  const others = rows.filter((row) => !isAsked(row));
  const names = [...'dfkps'].flatMap((code) =>
    others
      .filter(({ index }) => codes[index] === code)
      .map(({ index, id, display_name, ...row }) => ({ index, id, display_name, detail: detailOf(row) })),
  );
  return [...rows.filter(isAsked).map(namedRow), ...fitting(names, MAX_NAMES_BYTES)];
}
