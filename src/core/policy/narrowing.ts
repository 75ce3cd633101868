import type { Plan } from '../../contract/plans';
import type { OperationState } from '../bulk/operation';

interface Sizes {
  batch_size: number;
  batch_sizes?: number[] | undefined;
}

/** Limits batches to this many items. Drops sizes that now equal the last one, because the last one repeats. */
export function sizesUnder({ batch_size, batch_sizes }: Sizes, most = Infinity): Sizes {
  if (Math.max(batch_size, ...(batch_sizes ?? [])) <= most) return { batch_size, batch_sizes };
  const sizes = batch_sizes?.map((size) => Math.min(size, most));
  while (sizes && sizes.length > 1 && sizes.at(-1) === sizes.at(-2)) sizes.pop();
  return { batch_size: Math.min(batch_size, most), ...(sizes && { batch_sizes: sizes }) };
}

/** Applies a policy's requirement to a planned operation. */
export function underRequirement(
  state: OperationState,
  { requirement, windows = [] }: Pick<Plan, 'requirement' | 'windows'>,
): OperationState {
  if (!requirement) return state;
  const { input, max_wait_seconds } = state;
  const { max_batch_size, deadline_seconds = Infinity } = requirement;
  const idle_timeout_seconds = Math.min(input.idle_timeout_seconds, deadline_seconds);
  const wait = Math.min(max_wait_seconds ?? Infinity, deadline_seconds);
  return {
    ...state,
    input: { ...input, ...sizesUnder(input, max_batch_size), idle_timeout_seconds },
    requirement,
    ...(wait < Infinity && { max_wait_seconds: wait }),
    ...(windows.length > 0 && { windows: [...(state.windows ?? []), ...windows] }),
  };
}
