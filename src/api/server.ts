import rateLimit from '@fastify/rate-limit';
import Fastify, { type FastifyRequest } from 'fastify';
import { validatorCompiler, type ZodTypeProvider } from 'fastify-type-provider-zod';
import { noteActivity, rememberQueue } from '../client';
import { createShownGates } from '../client/shown-gates';
import { COMMANDS } from '../commands';
import { continueCommand, editCommand } from '../commands/decisions';
import { reviseCommand } from '../commands/decisions';
import { reportCommand } from '../commands/report';
import { BatchgateError } from '../contract/errors';
import { isTooDeep, MAX_DEPTH } from '../contract/text';
import { InexactNumber, inexactNumbers } from '../core/shared/json';
import { createAddressCheck } from './addresses';
import { addCommand, type OwnRoute } from './commands';
import type { Api, ApiContext } from './context';
import { createCookies } from './cookies';
import { createDeliveries } from './deliveries';
import { addDocumentRoutes, describe } from './document';
import { createEventHub } from './event-hub';
import { createGateLinks } from './gate-links';
import { createItemNouns } from './item-nouns';
import { createProvider, type OpenIdOptions } from './open-id/provider';
import { addOpenIdRoutes } from './open-id/routes';
import { authorize, documented, permissionOf } from './guard';
import { addPages, sendErrorPage, sendUnreadablePage } from './pages';
import { wantsPage } from './pages/send';
import { createVouch, identify, refuseForgery } from './principal';
import { malformedAddress, notFound, refuseUnreadable, sendProblem, tooDeepBody } from './problems';
import { addAssistantEvents } from './routes/assistant';
import { addEventRoutes } from './routes/events';
import { addLinkRoutes } from './routes/links';
import { addMcpRoutes, challengeFor, MCP_PATH, type McpOptions } from './routes/mcp';
import { auditCommand } from '../commands/audit';
import { auditRoute, continueRoute, editRoute, reportRoute, reviseRoute } from './routes/operations';
import { addPasskeyRoutes } from './routes/passkeys';
import { addSessionRoutes } from './routes/sessions';
import { addSystemRoutes } from './routes/system';
import { addToolRoutes } from './routes/tools';
import { addMe } from './sign-in';
import { createSignInLinks, type LinkedPerson } from './sign-in-links';
import { createTurns } from './turns';

export interface ApiOptions extends Omit<
  ApiContext,
  | 'cookies'
  | 'provider'
  | 'vouch'
  | 'events'
  | 'inTurn'
  | 'links'
  | 'signInLinks'
  | 'shown'
  | 'deliveries'
  | 'nounOf'
  | 'origin'
> {
  /** 0 takes any free port. */
  port: number;
  /** The address to listen at; default 127.0.0.1. */
  host?: string;
  /** The public address, if others reach the server through a proxy. */
  baseUrl?: string;
  /** Letters and digits that distinguish this server's cookies on loopback from those of another server. */
  folder?: string;
  /** Per caller; default 6,000. */
  requestsPerMinute?: number;
  /** Sign-in through the organisation's identity provider. */
  openId?: OpenIdOptions;
  /** Serves agents. */
  mcp?: Omit<McpOptions, 'onFailure'>;
}

export interface RunningApi {
  port: number;
  /** A link that signs in this person once, within an hour. */
  signInLink(person: LinkedPerson): Promise<string>;
  close(): Promise<void>;
}

/** The maximum size of a Temporal payload. */
const BODY_BYTES = 2_000_000;
/** Per caller. */
const REQUESTS_PER_MINUTE = 6_000;
/** Allows for the levels around values of `MAX_DEPTH` levels, for example in a list of items with their data. */
const BODY_LEVELS = MAX_DEPTH + 8;
/** Concurrent confirmations of one operation: Temporal accepts ten updates at a time per workflow, from all callers. */
const CONFIRMATIONS_AT_ONCE = 4;

/** Serves the HTTP API. */
export async function startApi(options: ApiOptions): Promise<RunningApi> {
  const { client, taskQueue, access, baseUrl } = options;
  rememberQueue(client, taskQueue);
  const events = createEventHub(client, taskQueue);
  const vouch = await createVouch(access);
  const inTurn = createTurns(CONFIRMATIONS_AT_ONCE);
  const cookies = createCookies(baseUrl?.startsWith('https:') ?? false, options.folder);
  const listening = { port: options.port };
  const origin = () => baseUrl?.replace(/\/$/, '') ?? `http://127.0.0.1:${listening.port}`;
  const provider = options.openId && createProvider(options.openId, origin);
  const gateLinks = await createGateLinks({ access, provider });
  const signInLinks = createSignInLinks(access);
  const deliveries = await createDeliveries(access);
  const nounOf = createItemNouns(options.describeAdapters);
  const state = { shown: createShownGates(), deliveries, nounOf };
  const shared = { vouch, events, inTurn, origin, links: gateLinks, cookies, signInLinks, ...state };
  const context: ApiContext = { ...options, ...shared, provider };
  const api = createServer();
  answerFailures(api, context, (url) => options.openId && options.mcp && challengeFor(url, origin()));
  const checkAddress = createAddressCheck(baseUrl, () => listening.port);
  await limitRate(api, options.requestsPerMinute ?? REQUESTS_PER_MINUTE);
  await describe(api, baseUrl);
  api.addHook('onRequest', async (request) => {
    const { open, probe } = request.routeOptions.config;
    if (probe) return;
    checkAddress(request);
    if (open) return;
    const identifySender = () =>
      identify(context, request, (token) =>
        Promise.resolve(
          request.routeOptions.url === MCP_PATH
            ? provider?.agentOf(token, `${origin()}${MCP_PATH}`)
            : provider?.personOf(token),
        ),
      );
    request.principal = await identifySender();
    request.checkAgain = identifySender;
  });
  api.addHook('preValidation', (request) => checkSender(request, context));
  addRoutes(api, context);
  await addPages(api, context);
  if (options.openId && provider) addOpenIdRoutes(api, context, provider, options.openId);
  if (options.mcp) {
    const { onFailure } = options;
    addMcpRoutes(api, context, { ...options.mcp, origin, onFailure, issuer: options.openId?.issuer });
  }
  await api.listen({ port: options.port, host: options.host ?? '127.0.0.1' });
  listening.port = portOf(api);
  return {
    port: listening.port,
    signInLink: async (person) => `${origin()}${await signInLinks.create(person)}`,
    async close() {
      events.close();
      await api.close();
    },
  };
}

/** Answers failures with a page if the browser requested one, or else with a problem document. */
function answerFailures(api: Api, context: ApiContext, challenge: (url: string) => string | undefined): void {
  api.setErrorHandler((error, request, reply) => {
    if (wantsPage(request)) return sendErrorPage(context, error, request, reply);
    sendProblem(error, reply, challenge(request.url));
    if (reply.statusCode >= 500) context.onFailure(error);
    return reply;
  });
  api.setNotFoundHandler((request, reply) =>
    wantsPage(request) ? sendErrorPage(context, notFound(), request, reply) : sendProblem(notFound(), reply),
  );
}

async function checkSender(request: FastifyRequest, { client, taskQueue }: ApiContext): Promise<void> {
  const { principal } = request;
  if (!principal) return;
  refuseForgery(principal, request);
  if (isActivity(request)) noteActivity(client, principal.name, taskQueue);
  if (!request.is404) await authorize(client, principal, request);
}

/**
 * Every request of a person or an agent is activity (specification S6), except streams, probes and pages that refresh
 * themselves.
 */
function isActivity({ method, headers, routeOptions: { url = '' } }: FastifyRequest): boolean {
  const refreshes = method === 'GET' && headers['hx-request'] !== undefined;
  return !refreshes && !url.endsWith('/events') && url !== '/metrics';
}

const DEFAULT_HEADERS = {
  'cache-control': 'no-store',
  'content-security-policy': "default-src 'none'; frame-ancestors 'none'",
  'referrer-policy': 'no-referrer',
  'x-content-type-options': 'nosniff',
  'x-frame-options': 'DENY',
};

function createServer(): Api {
  const api = Fastify({
    bodyLimit: BODY_BYTES,
    // Readers keep streams open indefinitely.
    forceCloseConnections: true,
    trustProxy: '127.0.0.1',
    routerOptions: { maxParamLength: 3_000 },
    clientErrorHandler: refuseUnreadable,
    frameworkErrors: (_, request, reply) =>
      void (wantsPage(request)
        ? sendUnreadablePage(malformedAddress(), reply)
        : sendProblem(malformedAddress(), reply)),
  }).withTypeProvider<ZodTypeProvider>();
  takeBodies(api);
  api.setValidatorCompiler(validatorCompiler);
  // The tests check every answer against the document. The server does not.
  api.setSerializerCompiler(() => (data) => JSON.stringify(data));
  api.addHook('onRoute', ({ method, url, config }) => {
    for (const verb of [method].flat()) {
      if (config?.open || permissionOf(verb, url)) continue;
      throw new Error(`${verb} ${documented(url)} is not in the table of permissions`);
    }
  });
  api.addHook('onSend', async (_, reply) => {
    for (const [name, value] of Object.entries(DEFAULT_HEADERS))
      if (!reply.hasHeader(name)) void reply.header(name, value);
  });
  return api;
}

async function limitRate(api: Api, max: number): Promise<void> {
  await api.register(rateLimit, {
    max,
    hook: 'preHandler',
    keyGenerator: ({ principal, ip }) => principal?.id ?? ip,
    errorResponseBuilder: () =>
      new BatchgateError(
        'RATE_LIMITED',
        `More than ${max} requests in a minute.`,
        'Wait for as long as the header Retry-After says.',
      ),
  });
}

/** Accepts JSON of limited depth, and an empty body, because generated clients always send the header for JSON. */
function takeBodies(api: Api): void {
  const parse = api.getDefaultJsonParser('error', 'error');
  void api.addContentTypeParser('application/json', { parseAs: 'string' }, (request, body, done) => {
    if (body === '') return done(null, undefined);
    void parse(request, body as string, (error, parsed) => {
      const [inexact] = error ? [] : inexactNumbers(body as string);
      if (!error && isTooDeep(parsed, BODY_LEVELS)) done(tooDeepBody());
      else if (inexact) done(new InexactNumber(inexact.number));
      else done(error, parsed);
    });
  });
}

function addRoutes(api: Api, context: ApiContext): void {
  addSystemRoutes(api, context);
  addMe(api, context);
  addPasskeyRoutes(api, context);
  const own: Record<string, OwnRoute> = {
    [continueCommand.name]: continueRoute(context),
    [reviseCommand.name]: reviseRoute(context),
    [editCommand.name]: editRoute(context),
    [reportCommand.name]: reportRoute(context),
    [auditCommand.name]: auditRoute(context),
  };
  for (const command of COMMANDS) addCommand(api, context, command, own[command.name]);
  addEventRoutes(api, context);
  addLinkRoutes(api, context);
  addSessionRoutes(api, context);
  addAssistantEvents(api, context);
  addToolRoutes(api, context);
  addDocumentRoutes(api);
}

function portOf(api: Api): number {
  const address = api.server.address();
  return typeof address === 'object' && address !== null ? address.port : 0;
}
