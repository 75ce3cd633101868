import type { ActionWords, Change } from './change';
import type { PreparedBulkContext } from './items';
import type { ItemGroup } from './preview';

/** What an adapter prepared of a change, once for all of its items. */
export interface Prepared {
  context: PreparedBulkContext;
  /** The parameters of the change, as they were given. A retry over named items needs them. */
  change_params: Record<string, unknown>;
  noun: { one: string; many: string };
  words: ActionWords;
  change: Change;
}

/** The predictions of a plan: how many items are as wished already, how many will probably fail, and all of them in groups. */
export interface Foreseen {
  already: number;
  expected_errors: number;
  groups?: ItemGroup[];
  /** There are more groups than these. */
  groups_truncated?: true;
}
