import { parseArgs } from 'node:util';
import { loadConfig } from '../src/host/config';
import { BatchgateError } from '../src/contract/errors';
import { FAULT_KINDS } from './faults/plan';
import { hoursFrom } from './faults/hours';
import { runClients } from './faults/clients/run';
import globalSetup from '../test/helpers/global-setup';
import globalTeardown from '../test/helpers/global-teardown';
import { runFaults, SPOILERS, type RunOptions } from './faults/run';
import { findingsOf, isClean, tableOf } from './faults/table';

const HELP = `npm run faults -- [options]
  --faults N         how many faults (default 20)
  --operations N     at least so many operations (default 10)
  --concurrency N    operations at a time (default 6)
  --strikes N        faults at a time, each on another part (default 2)
  --seed N           the run of this seed again (default: a new one)
  --database KIND    postgres or embedded (default postgres)
  --workers N        worker processes; embedded takes one (default 2, or 1)
  --kind KIND        only faults of this kind, as 'worker suspended'; again for another one
  --clients N        instead, N runs of clients that lose, repeat, delay and cross their own requests, through all doors
  --spoil WHAT       break the run, to see that the check finds it: ${SPOILERS.join(' or ')}`;

/** Runs kills, suspensions and network faults over many operations, prints a table, and fails on any violation. */
async function main(): Promise<void> {
  const { values } = parseArgs({
    options: {
      ...{ faults: { type: 'string' }, operations: { type: 'string' }, concurrency: { type: 'string' } },
      ...{ strikes: { type: 'string' }, clients: { type: 'string' } },
      ...{ seed: { type: 'string' }, database: { type: 'string' }, workers: { type: 'string' } },
      kind: { type: 'string', multiple: true },
      ...{ spoil: { type: 'string', multiple: true }, help: { type: 'boolean' } },
    },
  });
  if (values.help) return console.log(HELP);
  if (values.clients !== undefined) return runOfClients(values);
  const options = optionsOf(values);
  console.log(`seed ${options.seed}`);
  const result = await runFaults(options);
  console.log(`\n${tableOf(result)}`);
  if (isClean(result)) return;
  for (const line of findingsOf(result)) console.error(line);
  console.error(`The logs are in ${result.folder}. To repeat it: npm run faults -- ${repeating(options)}`);
  process.exitCode = 1;
}

/** Runs the clients on servers of their own, prints the figures, and fails on any violation. */
async function runOfClients(values: Values): Promise<void> {
  const [runs, seed] = [
    numberOf(values, 'clients', 1_000, 1),
    numberOf(values, 'seed', Date.now() % 1_000_000, 0),
  ];
  const concurrency = numberOf(values, 'concurrency', 12, 1);
  console.log(`seed ${seed}`);
  await globalSetup();
  try {
    const result = await runClients({ runs, seed, concurrency, say: (line) => console.log(line) });
    const { findings, ...figures } = result;
    console.log(JSON.stringify(figures, null, 2));
    console.log(`${findings.length} findings`);
    if (findings.length > 0) process.exitCode = 1;
  } finally {
    await globalTeardown();
  }
}

type Values = Partial<Record<string, string | string[] | boolean>>;

function numberOf(values: Values, name: string, byDefault: number, least: number): number {
  const value = values[name] === undefined ? byDefault : Number(values[name]);
  if (Number.isInteger(value) && value >= least) return value;
  throw wrong(`--${name} must be a whole number, at least ${least}.`);
}

function optionsOf(values: Values): RunOptions {
  const number = (name: string, byDefault: number, least: number) => numberOf(values, name, byDefault, least);
  const database = values['database'] ?? 'postgres';
  if (database !== 'postgres' && database !== 'embedded') throw wrong('--database is postgres or embedded.');
  const workers = number('workers', database === 'postgres' ? 2 : 1, 1);
  if (database === 'embedded' && workers > 1) throw wrong('The embedded store is for one worker.');
  const spoil = (values['spoil'] ?? []) as RunOptions['spoil'];
  if (spoil?.some((one) => !SPOILERS.includes(one))) throw wrong(`--spoil is ${SPOILERS.join(' or ')}.`);
  const kinds = values['kind'] as RunOptions['kinds'];
  if (kinds?.some((one) => !FAULT_KINDS.includes(one))) throw wrong(`--kind is ${FAULT_KINDS.join(' or ')}.`);
  const config = loadConfig();
  return {
    ...{ database, workers, spoil, kinds, env: config.env, cacheDir: config.cacheDir },
    faults: number('faults', 20, 0),
    operations: number('operations', 10, 1),
    concurrency: number('concurrency', 6, 1),
    strikes: number('strikes', 2, 1),
    seed: number('seed', Date.now() % 1_000_000, 0),
    hours: hoursFrom(Date.now()),
    say: (line) => console.log(line),
  };
}

const wrong = (message: string) =>
  new BatchgateError('INVALID_INPUT', message, 'Read `npm run faults -- --help`.');

function repeating(options: RunOptions): string {
  const { faults, operations, concurrency, strikes, seed, database, workers } = options;
  const named = { faults, operations, concurrency, strikes, seed, database, workers };
  return [
    ...Object.entries(named).map(([name, value]) => `--${name} ${value}`),
    ...(options.kinds ?? []).map((kind) => `--kind '${kind}'`),
  ].join(' ');
}

main().catch((error: unknown) => {
  console.error(error);
  process.exitCode = 1;
});
