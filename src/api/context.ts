import type { Client } from '@temporalio/client';
import type { FastifyBaseLogger, FastifyInstance, FastifyRequest, RawServerDefault } from 'fastify';
import type { ZodTypeProvider } from 'fastify-type-provider-zod';
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { z } from 'zod';
import type { Vouch } from '../client';
import type { AccessStore } from '../contract/access';
import type { AdapterDescription } from '../contract/adapter';
import type { Settings } from '../contract/settings';
import type { ToolDescription, ToolQuery } from '../contract/tools';
import type { ParamsRequest } from '../core/bulk/registry';
import type { Cookies } from './cookies';
import type { Deliveries } from './deliveries';
import type { Noun } from './item-nouns';
import type { Provider } from './open-id/provider';
import type { EventHub } from './event-hub';
import type { ShownGates } from '../client/shown-gates';
import type { GateLinks } from './gate-links';
import { isBackend, type Principal } from './principal';
import type { SignInLinks } from './sign-in-links';
import type { Turns } from './turns';

/** The dependencies of the routes. */
export interface ApiContext {
  client: Client;
  taskQueue: string;
  access: AccessStore;
  /** Returns the tools that macros and agents can call on a worker with this configuration. */
  describeTools: (query: ToolQuery) => Promise<ToolDescription[]>;
  /** Returns the adapters of such a worker. */
  describeAdapters: () => Promise<AdapterDescription[]>;
  /** Returns the issues that the schemas of these adapters report for a request. */
  refusedParams: (request: ParamsRequest) => Promise<z.core.$ZodIssue[]>;
  /** The limits of such a worker. */
  limits?: Pick<Settings, 'min_batch_size' | 'max_batch_size' | 'max_total_items' | 'fixed'>;
  /** Returns a tool's noun for its items. */
  nounOf: (domain: string) => Promise<Noun>;
  /** Whether the assistants of such a worker have a model. */
  hasModel?: boolean;
  /** The address of the Temporal UI, if there is one. */
  temporalUi?: string;
  /** The interval of the heartbeats in a page's stream. Milliseconds; default 15,000. */
  beatMs?: number;
  /** Receives failures whose details are withheld from the caller. */
  onFailure: (error: unknown) => void;
  cookies: Cookies;
  signInLinks: SignInLinks;
  /** The identity provider through which people sign in, at /sign-in/oidc. */
  provider?: Provider | undefined;
  vouch: Vouch;
  events: EventHub;
  links: GateLinks;
  /** The question last shown to each sender. */
  shown: ShownGates;
  /** The signed times at which questions were delivered to pages. */
  deliveries: Deliveries;
  /** The address that people use. */
  origin: () => string;
  /** Limits the concurrent confirmations of one operation, across all callers. */
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
    /** Set before the handler runs, except on open routes. */
    principal?: Principal;
    /** Throws once the sender's access has ended. Required for a stream. */
    checkAgain?: () => unknown;
  }
  interface FastifyContextConfig {
    /** The route requires no session and no key. */
    open?: boolean;
    /** The route answers under any host name, because probes use any. */
    probe?: boolean;
    /** The answer may be cached forever, because changed content gets a new address. */
    immutable?: boolean;
  }
}

export function principalOf({ principal }: FastifyRequest): Principal {
  if (!principal) throw new Error('the route is open to all');
  return principal;
}

/** The name of the person on whose behalf the sender acts. A backend may name its person; an agent may not. */
export function speaksFor(request: FastifyRequest, by: string | undefined): string {
  const principal = principalOf(request);
  return isBackend(principal) ? (by ?? principal.name) : principal.name;
}
