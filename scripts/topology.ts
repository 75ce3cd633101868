import { parseArgs } from 'node:util';
import { loadConfig } from '../src/host/config';
import { BatchgateError } from '../src/contract/errors';
import { check } from './topology/check';
import { lastWords, startTopology, type Topology } from './topology/stack';

const say = (line: string): void => console.log(line);

/** Runs the topology of docker-compose.yml without Docker, until Ctrl-C, or for one operation. */
async function main(): Promise<void> {
  const { values } = parseArgs({
    options: { check: { type: 'boolean', default: false }, workers: { type: 'string', default: '2' } },
  });
  const workers = Number(values.workers);
  if (!Number.isInteger(workers) || workers < (values.check ? 2 : 1)) {
    throw new BatchgateError(
      'INVALID_INPUT',
      'Too few workers',
      'Give --workers a whole number, for --check at least 2.',
    );
  }
  const interrupted = interruption();
  const topology = await startTopology(loadConfig(), workers, say);
  try {
    if (values.check) await Promise.race([interrupted.then(refuse), topology.ended, check(topology, say)]);
    else await stay(topology, interrupted);
  } catch (error) {
    say(await lastWords(topology));
    throw error;
  } finally {
    await topology.stop();
  }
}

async function stay(topology: Topology, interrupted: Promise<void>): Promise<void> {
  say('\nIt is up, over a temporary folder, until Ctrl-C. To use it from another terminal:\n');
  for (const [name, value] of Object.entries(topology.variables)) say(`export ${name}=${value}`);
  await Promise.race([interrupted, topology.ended]);
}

const interruption = (): Promise<void> =>
  new Promise((resolve) => {
    for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => resolve());
  });

const refuse = (): never => {
  throw new Error('It was interrupted.');
};

main().then(
  () => process.exit(0),
  (error: unknown) => {
    console.error(
      error instanceof BatchgateError
        ? `${error.code}: ${error.message}\n${error.body.hint}`
        : error instanceof Error
          ? error.message
          : error,
    );
    process.exit(1);
  },
);
