import type { Windows } from '../../src/core/bulk/windows';
import type { Identities } from '../../src/core/policy/reachable';
import type { Policy } from '../../src/core/policy/rules';
import type { Arrivals, ArrivalsInput } from '../../src/contract/activities';
import type { AuditPage, AuditRequest, AuditRetention, AuditStore } from '../../src/contract/audit';
import type { AccessStore } from '../../src/contract/access';
import type { HygieneStore, MarkerStore } from '../../src/contract/hygiene';
import type { DeadlineRule, Settings } from '../../src/contract/settings';
import type { Ledger } from '../../src/contract/ledger';
import type { ProfileStore } from '../../src/contract/profile';
import type { OperationWatch, FetchInput, MacroLimits } from '../../src/contract/macro-activities';
import type { Scratchpad } from '../../src/contract/scratchpad';
import type { Sentinel } from '../../src/contract/sentinel';
import type { Gateway, ToolDatabase, ToolDefinition } from '../../src/contract/tools';
import type { AdapterRegistry } from '../../src/core/bulk/registry';
import type { ToolRegistry } from '../../src/core/gateway/tool-registry';
import type { WebhookDependencies } from '../webhooks';
import type { ChatModel } from '../assistant/model';
import type { Json } from '../../src/contract/macro';
import type { Model } from '../macro/model';
import type { Sessions } from '../macro/transactions/sessions';

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
  /** The maximum wait of questions; by default the wait that each start requests. */
  deadlines?: readonly DeadlineRule[];
  /** The times at which batches may begin, by domain; by default any time. */
  windows?: Windows | undefined;
  /** In order; the first match applies. */
  policies?: readonly Policy[] | undefined;
  /** The available information about approvers; by default all. */
  identities?: Identities | undefined;
  /** The public key of the signing key. */
  publicKey?: string;
  /** Unset: this worker keeps no keys of the HTTP API. */
  access?: Pick<AccessStore, 'createKey' | 'listKeys' | 'revokeKey' | 'keepLink' | 'standingsOf'>;
  /** Unset: this worker does not sign the audit record. */
  audit?: Pick<AuditStore, 'append' | 'forget' | 'forgetAdministration'> & {
    export(request: AuditRequest): Promise<AuditPage>;
  };
  /** The configured retention of personal data in the audit record. */
  auditRetention?: AuditRetention;
  /** Unset: no webhook is configured. */
  webhooks?: WebhookDependencies;
  log: ActivityLog;
}

/** Further dependencies of assistants. */
export interface AssistantDependencies {
  /** Unset: an assistant answers that no model is configured. */
  model?: ChatModel;
  /** Returns the secrets that no prompt may contain. */
  secrets?: () => Promise<readonly string[]>;
  /** Called before an answer of the session's assistant is returned. */
  onAnswer?: (sessionId: string) => Promise<void>;
}

/** Rows of the configured databases. */
export interface RowSource {
  readonly names: readonly string[];
  /** `within`: the transaction in which they are read. */
  rows(input: FetchInput, signal: AbortSignal, within?: ToolDatabase): Promise<Json[]>;
}

/** Further dependencies of macros. */
export interface MacroDependencies {
  gateway: Gateway;
  tools: () => readonly Pick<
    ToolDefinition,
    'name' | 'args' | 'read_only' | 'idempotent' | 'transactional'
  >[];
  /** Returns the settings of a profile; by default of the default profile. */
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
