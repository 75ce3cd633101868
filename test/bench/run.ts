import { performance } from 'node:perf_hooks';
import { parseArgs } from 'node:util';
import { DefaultLogger, Runtime } from '@temporalio/worker';
import { auditBench } from './audit';
import { confirmationBench } from './confirmation';
import { isMissed, type Figure } from './figures';
import { gmailBench } from './gmail';
import { note, onGround, type Ground } from './ground';
import { growthBench } from './growth';
import { httpBench } from './http';
import { macroBench } from './macro';
import { manyBench } from './many';
import { recoveryBench } from './recovery';
import { tableOf, writePage } from './report';
import { sentinelBench } from './sentinel';
import { startBench } from './start';
import { taskRunBench } from './task-run';
import { terminalBench } from './terminal';

/** Each bench prints measurements, returns figures for the table, or does both. */
const BENCHES: Record<string, (ground: Ground) => Promise<Figure[] | void>> = {
  confirmation: confirmationBench,
  start: startBench,
  terminal: terminalBench,
  growth: growthBench,
  many: manyBench,
  http: httpBench,
  sentinel: sentinelBench,
  'task-run': taskRunBench,
  macro: macroBench,
  gmail: gmailBench,
  recovery: recoveryBench,
  audit: auditBench,
};

/**
 * Runs the named benches, or all of them, one after the other. `--write` puts them on the page. `--full`
 * measures at the sizes that the goals name.
 */
async function main(args: string[]): Promise<void> {
  const { values, positionals: names } = parseArgs({
    args,
    options: { write: { type: 'boolean' }, full: { type: 'boolean', default: false } },
    allowPositionals: true,
  });
  const unknown = names.filter((name) => !(name in BENCHES));
  if (unknown.length > 0) {
    console.error(`No such bench: ${unknown.join(', ')}. There are ${Object.keys(BENCHES).join(', ')}.`);
    process.exitCode = 2;
    return;
  }
  if (values.write && names.length > 0) {
    console.error('The page shows the figures of one whole run. Name no bench together with --write.');
    process.exitCode = 2;
    return;
  }
  Runtime.install({ logger: new DefaultLogger('ERROR') });
  const figures: Figure[] = [];
  await onGround(values.full, async (ground) => {
    for (const [name, bench] of Object.entries(BENCHES))
      if (names.length === 0 || names.includes(name)) {
        const started = performance.now();
        note(`== ${name}`);
        figures.push(...((await bench(ground)) ?? []));
        note(`== ${name} took ${Math.round((performance.now() - started) / 1_000)} s`);
      }
  });
  if (figures.length === 0) return;
  console.log(`\n${tableOf(figures)}`);
  if (values.write) await writePage(figures);
  if (figures.some(isMissed)) process.exitCode = 1;
}

void main(process.argv.slice(2));
