import type { ActionWords, Change } from './change';
import type { PreparedBulkContext } from './items';
import type { ItemGroup } from './preview';

/** The adapter's preparation of a change, made once for all items. */
export interface Prepared {
  context: PreparedBulkContext;
  /** The parameters of the change as in the input. A retry over named items needs them. */
  change_params: Record<string, unknown>;
  noun: { one: string; many: string };
  words: ActionWords;
  change: Change;
}

/** The predictions of a plan: how many items need no change, how many will probably fail, and all items in groups. */
export interface Foreseen {
  already: number;
  expected_errors: number;
  groups?: ItemGroup[];
  /** Set if there are more groups than these. */
  groups_truncated?: true;
}
