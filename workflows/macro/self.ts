import type { MacroRun } from '../../src/core/macro/view';
import type { MachineRun } from './run';

/** What a macro workflow holds beside its state. */
export interface MacroSelf {
  run: MacroRun;
  machine?: MachineRun;
  /** Temporal's own Cancel came. */
  cancelled?: boolean;
  /** The state that lists show, as far as this run has set it. */
  listed?: string;
  /** When this run last told the sentinel of its progress; milliseconds. */
  shown_at?: number;
}
