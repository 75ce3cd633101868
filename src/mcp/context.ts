import type { ServerContext } from '@modelcontextprotocol/server';
import type { Client } from '@temporalio/client';
import type { ConfirmMode } from '../contract/access';
import type { AdapterDescription } from '../contract/adapter';
import type { ToolDescription } from '../contract/tools';
import { operationPage } from '../core/approval/address';
import type { Caller } from './caller';
import type { ShownGates } from './confirmation/shown';
import type { Seal } from './confirmation/seal';

/** What the tools of every connection work with. */
export interface McpContext {
  /** @throws BatchgateError `TEMPORAL_UNAVAILABLE` while there is no server. */
  connect: () => Promise<Client>;
  taskQueue: string;
  /** Where people decide, without a slash at its end. */
  origin: () => Promise<string>;
  describeTools(): Promise<ToolDescription[]>;
  describeAdapters(): Promise<AdapterDescription[]>;
  /** How a person confirms. */
  confirm: ConfirmMode;
  seal: Seal;
  shown: ShownGates;
  /** How long a call waits for a person. Milliseconds. */
  waits: Waits;
}

export interface Waits {
  /** For a host that is told nothing meanwhile, and gives up by itself. */
  silent: number;
  /** For a host that asked to be told of progress. */
  told: number;
  /** Between two of these. */
  progress: number;
  /** For the tool's names while a user types. */
  suggestions: number;
}

/** Below the minute after which the official clients give up. */
export const WAITS: Waits = { silent: 50_000, told: 600_000, progress: 5_000, suggestions: 5_000 };

/** What the client of a call can do. */
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
  /** The context of the library, which binds what it seals. */
  mcp: ServerContext;
}

/** The page where a person decides about an operation. */
export async function approvalUrl({ origin }: McpContext, operationId: string): Promise<string> {
  return operationPage(await origin(), operationId);
}
