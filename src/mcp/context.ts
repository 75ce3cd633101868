import type { ServerContext } from '@modelcontextprotocol/server';
import type { Client } from '@temporalio/client';
import type { ConfirmMode } from '../contract/access';
import type { AdapterDescription } from '../contract/adapter';
import { operationPage } from '../core/approval/address';
import type { Caller } from './caller';
import type { ShownGates } from '../client/shown-gates';
import type { Seal } from './confirmation/seal';

/** The dependencies of the tools, shared by all connections. */
export interface McpContext {
  /** @throws BatchgateError `TEMPORAL_UNAVAILABLE` while no server answers. */
  connect: () => Promise<Client>;
  taskQueue: string;
  /** The address where people decide, without a trailing slash. */
  origin: () => Promise<string>;
  describeAdapters(): Promise<AdapterDescription[]>;
  /** The way in which a person confirms. */
  confirm: ConfirmMode;
  seal: Seal;
  shown: ShownGates;
  /** The limits of waits in a call. Milliseconds. */
  waits: Waits;
}

export interface Waits {
  /** For a host that gets no progress and gives up by itself. */
  silent: number;
  /** For a host that asked for progress. */
  told: number;
  /** For the first question of an operation that a call starts, without progress. */
  started: number;
  /** Between two progress messages. */
  progress: number;
  /** For completing names in the tool while a user types. */
  suggestions: number;
}

/** Below the minute after which the official clients give up. */
export const WAITS: Waits = {
  silent: 50_000,
  told: 600_000,
  started: 50_000,
  progress: 5_000,
  suggestions: 5_000,
};

/** The capabilities of a call's client. */
export interface ClientAbilities {
  form: boolean;
  url: boolean;
}

/** One call of a tool. */
export interface Call {
  client: Client;
  caller: Caller;
  context: McpContext;
  request: ServerContext['mcpReq'];
  abilities: ClientAbilities;
  /** The library's context, to which sealed states are bound. */
  mcp: ServerContext;
}

/** The page where a person decides about an operation. */
export async function approvalUrl({ origin }: McpContext, operationId: string): Promise<string> {
  return operationPage(await origin(), operationId);
}
