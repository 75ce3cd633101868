import type { HygieneStore } from '../src/contract/hygiene';
import type { Ledger } from '../src/contract/ledger';
import type { Sentinel } from '../src/contract/sentinel';
import type { Settings } from '../src/contract/settings';
import type { AdapterRegistry } from '../src/core/registry';

/** What activities say to the worker's log; item names stay out of it. */
interface ActivityLog {
  info(fields: object, message: string): void;
  warn(fields: object, message: string): void;
}

/** The effects that activities need, built once by the worker. */
export interface ActivityDependencies {
  adapters: AdapterRegistry;
  ledger: Ledger;
  hygiene: HygieneStore;
  sentinel: Sentinel;
  settings: Settings;
  log: ActivityLog;
}
