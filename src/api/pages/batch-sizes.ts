import type { FieldMistake } from '../../core/approval/schema-form';
import { limitError } from '../../core/bulk/input';
import { sizesIn } from '../../core/bulk/ramp';
import { DEFAULT_SETTINGS } from '../../contract/settings';
import { MAX_BATCH_SIZES } from '../../contract/operation';
import type { ApiContext } from '../context';
import type { ShownField } from './fields';

const NAME = 'batch_sizes';

/** The field for batches that grow. */
export const SIZES_FIELD: ShownField = {
  ...{ name: NAME, label: 'Batches that grow', kind: 'text', required: false, max_length: 100 },
  hint: 'Instead of Items per batch: the number of items in the first, the second and so on, such as 1, 5, 20. The last one repeats.',
};

interface ReadSizes {
  values: { batch_sizes?: number[] };
  mistakes: FieldMistake[];
}

/** The batch sizes in a form, and the mistakes in them. */
export function readSizes(
  valueIn: (name: string) => string | undefined,
  limits: ApiContext['limits'] = DEFAULT_SETTINGS,
): ReadSizes {
  const text = valueIn(NAME);
  if (text === undefined) return { values: {}, mistakes: [] };
  const wrong = (message: string): ReadSizes => ({ values: {}, mistakes: [{ name: NAME, message }] });
  if (valueIn('batch_size') !== undefined) return wrong('Fill in this or “Items per batch”, not both.');
  const batch_sizes = sizesIn(text);
  const { min_batch_size: min, max_batch_size: max } = limits;
  const rule = `numbers from 1 to ${max} with commas between them, the last one from ${min} to ${max}, such as 1, ${min}, ${max}.`;
  if (!batch_sizes || batch_sizes.includes(0)) return wrong(`Write ${rule}`);
  if (batch_sizes.length > MAX_BATCH_SIZES) return wrong(`Write at most ${MAX_BATCH_SIZES} numbers.`);
  const refusal = limitError({ batch_size: max, batch_sizes }, { ...DEFAULT_SETTINGS, ...limits });
  return refusal ? wrong(`Write ${rule}`) : { values: { batch_sizes }, mistakes: [] };
}
