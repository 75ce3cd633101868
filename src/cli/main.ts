import { Command, CommanderError } from 'commander';
import { addActVerbs } from './act';
import { addAfterVerbs } from './after';
import { addDemoVerb } from './demo';
import { addLookVerbs } from './look';
import { EXIT } from './output';
import { addRunVerbs } from './up';

async function main(): Promise<void> {
  const program = new Command('batchgate')
    .description('Durable bulk operations: one confirmation runs exactly one batch.')
    .exitOverride();
  addRunVerbs(program);
  addDemoVerb(program);
  addActVerbs(program);
  addLookVerbs(program);
  addAfterVerbs(program);
  try {
    await program.parseAsync();
  } catch (error) {
    if (!(error instanceof CommanderError)) throw error;
    process.exitCode = error.exitCode === 0 ? EXIT.done : EXIT.usage;
  }
}

void main();
