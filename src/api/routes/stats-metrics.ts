import { Gauge, type Registry } from 'prom-client';
import { operationStats } from '../../client';
import type { StatsRow } from '../../contract/stats';
import type { ApiContext } from '../context';

/** Limits the calls to a worker, because scrapes are frequent. Milliseconds. */
const KEPT_MS = 15_000;
/** Limits the wait of a scrape for a missing worker. Milliseconds. */
const WITHIN_MS = 3_000;

const PAIR = ['domain', 'action'] as const;
type Sample = { labels: Record<string, string>; value: number };

/** Gauges of the statistics of operations in the ledger. Labels contain no personal data. */
export function addStatsMetrics(register: Registry, { client, taskQueue }: ApiContext): void {
  const read = remembering(KEPT_MS, () => operationStats(client, {}, taskQueue, WITHIN_MS).catch(() => []));
  const gauge = (name: string, help: string, label: string, samples: (row: StatsRow) => Sample[]) =>
    new Gauge({
      name: `batchgate_${name}`,
      help,
      labelNames: [...PAIR, label],
      registers: [register],
      async collect() {
        const rows = await read();
        this.reset();
        for (const row of rows) {
          const { domain, action } = row;
          for (const { labels, value } of samples(row)) this.set({ domain, action, ...labels }, value);
        }
      },
    });
  const counts =
    <N extends keyof StatsRow>(label: string, names: readonly N[]) =>
    (row: StatsRow): Sample[] =>
      names.map((name) => ({ labels: { [label]: name }, value: Number(row[name]) }));
  const states = ['live', 'completed', 'cancelled', 'expired', 'rejected'] as const;
  const outcomes = ['succeeded', 'failed', 'left_out', 'skipped', 'in_doubt', 'undone'] as const;
  gauge(
    'operations',
    'Operations in the ledger, without undos, by how they ended',
    'state',
    counts('state', states),
  );
  gauge(
    'operation_items',
    'Their items by outcome; undone ones are among succeeded',
    'outcome',
    counts('outcome', outcomes),
  );
  gauge(
    'questions',
    'Their questions by whether they were answered or expired',
    'answer',
    ({ questions, answered }) => [
      { labels: { answer: 'answered' }, value: answered },
      { labels: { answer: 'expired' }, value: questions - answered },
    ],
  );
  gauge('question_decide_seconds', 'How long answered questions waited, by quantile', 'quantile', (row) => [
    ...quantile('0.5', row.median_seconds_to_decide),
    ...quantile('0.9', row.p90_seconds_to_decide),
  ]);
}

const quantile = (share: string, value: number | undefined): Sample[] =>
  value === undefined ? [] : [{ labels: { quantile: share }, value }];

/** Caches the answer for this time, in milliseconds. */
export function remembering<T>(forMs: number, read: () => Promise<T>): () => Promise<T> {
  let until = 0;
  let last: Promise<T> | undefined;
  return () => {
    if (last && performance.now() < until) return last;
    until = performance.now() + forMs;
    return (last = read());
  };
}
