import type { Client } from '@temporalio/client';
import type { FastifyBaseLogger, FastifyInstance, FastifyRequest, RawServerDefault } from 'fastify';
import type { ZodTypeProvider } from 'fastify-type-provider-zod';
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { DecisionOptions, Vouch } from '../client';
import type { AccessStore } from '../contract/access';
import type { AdapterDescription } from '../contract/adapter';
import type { ToolDescription } from '../contract/tools';
import type { Provider } from './open-id/provider';
import type { EventHub } from './event-hub';
import type { GateLinks } from './gate-links';
import type { Principal } from './principal';
import type { Turns } from './turns';

/** What the routes work with. */
export interface ApiContext {
  client: Client;
  taskQueue: string;
  access: AccessStore;
  /** What macros and agents can call on a worker with this configuration. */
  describeTools: () => Promise<ToolDescription[]>;
  /** What operations can be started with: the adapters of such a worker. */
  describeAdapters: () => Promise<AdapterDescription[]>;
  /** Whether assistants of such a worker have a model. */
  hasModel?: boolean;
  /** Where operators see the workflows, if there is a Temporal UI. */
  temporalUi?: string;
  /** Where failures are told that the caller is not told of. */
  onFailure: (error: unknown) => void;
  /** Whether people reach the server by HTTPS. */
  secure: boolean;
  /** The identity provider through which people sign in, at /sign-in/oidc. */
  provider?: Provider | undefined;
  vouch: Vouch;
  events: EventHub;
  links: GateLinks;
  /** The address that people use. */
  origin: () => string;
  /** Sends the confirmations of an operation, of all callers. */
  inTurn: Turns;
}

export type Api = FastifyInstance<
  RawServerDefault,
  IncomingMessage,
  ServerResponse,
  FastifyBaseLogger,
  ZodTypeProvider
>;

declare module 'fastify' {
  interface FastifyRequest {
    /** Set before the handler of every route that is not open to all. */
    principal?: Principal;
  }
  interface FastifyContextConfig {
    /** Answers without a session or a key. */
    open?: boolean;
    /** Answers under any name, as probes use them. */
    probe?: boolean;
    /** The answer may be kept for ever: other content has another address. */
    immutable?: boolean;
  }
}

export function principalOf({ principal }: FastifyRequest): Principal {
  if (!principal) throw new Error('the route is open to all');
  return principal;
}

/** Who decided, as the record of the operation will say. A key speaks for the person that it names. */
export function decidedBy(
  { vouch }: ApiContext,
  request: FastifyRequest,
  by: string | undefined,
): { by: string; options: DecisionOptions } {
  const { kind, name } = principalOf(request);
  return kind === 'person' ? { by: name, options: { vouch } } : { by: by ?? name, options: {} };
}
