import type { FetchInput, MacroLimits } from '../../src/contract/macro-activities';
import type { Json } from '../../src/contract/macro';
import type { Scratchpad } from '../../src/contract/scratchpad';
import type { Gateway, ToolDatabase, ToolDefinition } from '../../src/contract/tools';
import type { Model } from './model';
import type { Sessions } from './transactions/sessions';

/** Rows of the databases that the configuration names. */
export interface RowSource {
  readonly names: readonly string[];
  /** `within`: the transaction in which they are read. */
  rows(input: FetchInput, signal: AbortSignal, within?: ToolDatabase): Promise<Json[]>;
}

/** The dependencies of macros, besides those of every activity. */
export interface MacroDependencies {
  gateway: Gateway;
  tools: () => readonly Pick<
    ToolDefinition,
    'name' | 'args' | 'read_only' | 'idempotent' | 'transactional'
  >[];
  /** The settings of a profile, by default of the default one. */
  limits: (profile?: string) => Promise<MacroLimits>;
  scratchpad: Pick<Scratchpad, 'read'>;
  /** Unset: macros with an `ask` are refused. */
  model?: Model;
  databases?: RowSource;
  /** Unset: macros with a database are refused. */
  sessions?: Sessions;
  macrosDir?: string;
  resourcesDir?: string;
}
