import type { FastifyReply } from 'fastify';
import { collectDefaultMetrics, Gauge, Histogram, Registry } from 'prom-client';
import { z } from 'zod';
import { findWorkers } from '../../client';
import { BatchgateError } from '../../contract/errors';
import type { Api, ApiContext } from '../context';
import { problemResponse } from '../problems';
import { addStatsMetrics, remembering } from './stats-metrics';

const tags = ['system'];
/** Limits the calls to the store and to Temporal, because probes are frequent. Milliseconds. */
const READY_FOR_MS = 2_000;

/** Routes for monitors: health without a key, metrics with one. */
export function addSystemRoutes(api: Api, context: ApiContext): void {
  const config = { open: true, probe: true };
  api.get(
    '/livez',
    {
      config,
      schema: {
        ...{ operationId: 'getLiveness', summary: 'Whether the server runs', tags },
        response: { 200: z.object({ status: z.literal('ok') }), ...problemResponse },
      },
    },
    () => ({ status: 'ok' as const }),
  );
  const ready = z.object({
    status: z.literal('ok'),
    store: z.literal('ok'),
    temporal: z.literal('ok'),
    worker: z.literal('ok'),
  });
  const check = remembering(READY_FOR_MS, () => findTrouble(context));
  const schema = {
    ...{ operationId: 'getReadiness', summary: 'Whether the server and what it needs are ready', tags },
    response: { 200: ready, ...problemResponse },
  };
  api.get('/readyz', { config, schema }, async () => {
    const trouble = await check();
    if (trouble) throw trouble;
    return { status: 'ok', store: 'ok', temporal: 'ok', worker: 'ok' } as const;
  });
  addMetrics(api, context);
}

async function findTrouble({ access, client, taskQueue }: ApiContext): Promise<BatchgateError | undefined> {
  const store = await access.findKey('').then(
    () => undefined,
    () => 'the store does not answer',
  );
  if (store !== undefined) return notReady(store, 'Check the database of BATCHGATE_DATABASE_URL.');
  try {
    if ((await findWorkers(client, taskQueue)) > 0) return undefined;
    return notReady('no worker polls the task queue', 'Start a worker: `npx batchgate worker`.');
  } catch {
    return notReady('Temporal does not answer', 'Check the Temporal server and TEMPORAL_ADDRESS.');
  }
}

const notReady = (what: string, hint: string) =>
  new BatchgateError('TEMPORAL_UNAVAILABLE', `Not ready: ${what}.`, hint);

function addMetrics(api: Api, context: ApiContext): void {
  const { events } = context;
  const register = new Registry();
  addStatsMetrics(register, context);
  collectDefaultMetrics({ register });
  const seconds = new Histogram({
    name: 'batchgate_http_request_duration_seconds',
    help: 'How long requests took, by route and status',
    labelNames: ['method', 'route', 'status'],
    buckets: [0.005, 0.02, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 10, 60],
    registers: [register],
  });
  new Gauge({
    name: 'batchgate_http_streams',
    help: 'Open event streams',
    registers: [register],
    collect() {
      this.set(events.open());
    },
  });
  api.addHook('onResponse', (request, reply, done) => {
    const route = request.routeOptions.url ?? 'unknown';
    seconds.observe({ method: request.method, route, status: reply.statusCode }, reply.elapsedTime / 1_000);
    done();
  });
  const text = {
    200: { description: 'Metrics', content: { 'text/plain': { schema: z.string() } } },
    ...problemResponse,
  };
  api.get(
    '/metrics',
    { schema: { operationId: 'getMetrics', tags, response: text } },
    async (_, reply: FastifyReply) =>
      reply.type(register.contentType).send(await register.metrics()) as never,
  );
}
