import type { Arrivals, ArrivalsInput } from '../../src/contract/activities';
import type { AccessStore } from '../../src/contract/access';
import type { HygieneStore, MarkerStore } from '../../src/contract/hygiene';
import type { DeadlineRule } from '../../src/contract/deadlines';
import type { Ledger } from '../../src/contract/ledger';
import type { ProfileStore } from '../../src/contract/profile';
import type { OperationWatch } from '../../src/contract/macro-activities';
import type { Scratchpad } from '../../src/contract/scratchpad';
import type { Sentinel } from '../../src/contract/sentinel';
import type { Settings } from '../../src/contract/settings';
import type { Gateway } from '../../src/contract/tools';
import type { AdapterRegistry } from '../../src/core/bulk/registry';
import type { ToolRegistry } from '../../src/core/gateway/tool-registry';
import type { AssistantDependencies } from '../assistant/dependencies';
import type { MacroDependencies } from '../macro/dependencies';
import type { WebhookDependencies } from '../webhooks';

/** The worker's log for activities. It never contains item names. */
export interface ActivityLog {
  info(fields: object, message: string): void;
  warn(fields: object, message: string): void;
}

/** The effects that activities need, built once by the worker. */
export interface ActivityDependencies {
  adapters: AdapterRegistry;
  ledger: Ledger;
  hygiene: HygieneStore;
  /** Unset: this worker has no databases. */
  markers?: MarkerStore;
  profiles: ProfileStore;
  scratchpad: Scratchpad;
  tools: ToolRegistry;
  gateway: Gateway;
  sentinel: Sentinel;
  macros: MacroDependencies;
  assistant: AssistantDependencies;
  operations: OperationWatch;
  arrivals: (input: ArrivalsInput) => Promise<Arrivals>;
  settings: Settings;
  /** How long questions wait; by default as their start requests. */
  deadlines?: readonly DeadlineRule[];
  /** The access store of the HTTP API, in the same database. */
  publicKey?: string;
  /** Unset: this worker keeps no keys of the HTTP API. */
  access?: Pick<AccessStore, 'createKey' | 'listKeys' | 'revokeKey' | 'keepLink'>;
  /** Unset: no webhook is configured. */
  webhooks?: WebhookDependencies;
  log: ActivityLog;
}
