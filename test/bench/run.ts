import { DefaultLogger, Runtime } from '@temporalio/worker';
import { confirmationBench } from './confirmation';
import { gmailBench } from './gmail';
import { onGround } from './ground';
import { macroBench } from './macro';
import { recoveryBench } from './recovery';
import { sentinelBench } from './sentinel';
import { taskRunBench } from './task-run';

const BENCHES = {
  confirmation: confirmationBench,
  sentinel: sentinelBench,
  'task-run': taskRunBench,
  macro: macroBench,
  gmail: gmailBench,
  recovery: recoveryBench,
};

/** The measurements that are named, or all of them, one after the other. */
async function main(names: string[]): Promise<void> {
  const unknown = names.filter((name) => !(name in BENCHES));
  if (unknown.length > 0) {
    console.error(`No such bench: ${unknown.join(', ')}. There are ${Object.keys(BENCHES).join(', ')}.`);
    process.exitCode = 2;
    return;
  }
  Runtime.install({ logger: new DefaultLogger('ERROR') });
  await onGround(async (ground) => {
    for (const [name, bench] of Object.entries(BENCHES))
      if (names.length === 0 || names.includes(name)) await bench(ground);
  });
}

void main(process.argv.slice(2));
