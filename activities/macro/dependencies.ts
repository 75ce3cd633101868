import type { FetchInput, MacroLimits } from '../../src/contract/macro-activities';
import type { Json } from '../../src/contract/macro';
import type { Gateway, ToolDefinition } from '../../src/contract/tools';
import type { Model } from './model';

/** Rows of the databases that the configuration names. */
export interface RowSource {
  has(name: string): boolean;
  rows(input: FetchInput, signal: AbortSignal): Promise<Json[]>;
}

/** What macros need beside what every activity has. */
export interface MacroDependencies {
  gateway: Gateway;
  tools: () => readonly Pick<ToolDefinition, 'name' | 'args' | 'read_only' | 'idempotent'>[];
  limits: () => Promise<MacroLimits>;
  /** Unset: macros with an `ask` are refused. */
  model?: Model;
  databases?: RowSource;
  macrosDir?: string;
  resourcesDir?: string;
}
