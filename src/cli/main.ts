import { Command, CommanderError } from 'commander';
import { addActVerbs } from './act';
import { addAdaptersVerb } from './adapters';
import { addAfterVerbs } from './after';
import { addCompletionVerbs } from './completion';
import { addContractVerbs } from './contract';
import { addDemoVerb } from './demo';
import { addLoginVerb } from './login';
import { addDoctorVerb } from './doctor';
import { addLookVerbs } from './look';
import { addMacroVerbs } from './macro';
import { EXIT, fail } from './output';
import { addProfileVerbs } from './profile';
import { addResumeVerb } from './resume';
import { addRunVerbs } from './up';
import { addTaskVerbs } from './task';
import { addToolsVerb } from './tools';
import { addTouchVerb } from './touch';
import { usageError } from './usage';
import { packageVersion } from '../version';
import { addWatchVerb } from './watch';

async function main(): Promise<void> {
  // Whoever reads, as `head`, may have read enough.
  process.stdout.on('error', (error: NodeJS.ErrnoException) => {
    if (error.code !== 'EPIPE') throw error;
    process.exit();
  });
  const program = new Command('batchgate')
    .description('Durable bulk operations: one confirmation runs exactly one batch.')
    .version(packageVersion())
    // What is wrong with a command line is told below, in the shape of every other error.
    .configureOutput({ outputError: () => undefined })
    .exitOverride();
  addRunVerbs(program);
  addDemoVerb(program);
  addActVerbs(program);
  addLookVerbs(program);
  addWatchVerb(program);
  addResumeVerb(program);
  addAfterVerbs(program);
  addTaskVerbs(program);
  addContractVerbs(program);
  addMacroVerbs(program);
  addTouchVerb(program);
  addAdaptersVerb(program);
  addToolsVerb(program);
  addProfileVerbs(program);
  addLoginVerb(program);
  addDoctorVerb(program);
  addCompletionVerbs(program);
  try {
    await program.parseAsync();
  } catch (error) {
    if (!(error instanceof CommanderError)) throw error;
    process.exitCode = error.exitCode === 0 ? EXIT.done : EXIT.usage;
    // Help that was asked for, or shown because there was no verb, is its own answer.
    if (error.exitCode === 0 || error.code === 'commander.help') return;
    const args = process.argv.slice(2);
    fail(usageError(error, program, args), args.includes('--json'));
  }
}

void main();
