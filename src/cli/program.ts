import { Command, CommanderError } from 'commander';
import { packageVersion } from '../host/version';
import { addActVerbs } from './operation/decisions';
import { addAdaptersVerb } from './adapters';
import { addAfterVerbs, addTouchVerb } from './operation/follow-ups';
import { addCompletionVerbs } from './completion/verb';
import { addContractVerbs } from './progress/contract';
import { addDemoVerb } from './demo';
import { addDoctorVerb } from './doctor/verb';
import { io, withIo, type Io } from './io';
import { addLoginVerb } from './login/verbs';
import { addLookVerbs } from './operation/status';
import { addMacroVerbs } from './macro/verbs';
import { EXIT, fail } from './output';
import { addProfileVerbs } from './profile';
import { addResumeVerb } from './operation/resume';
import { addTaskVerbs } from './progress/task';
import { addToolsVerb } from './tools';
import { addScratchpadVerbs } from './scratchpad';
import { addRunVerbs } from './up';
import { usageError } from './usage';
import { addWatchVerb } from './watch/watch';

/** The command line, as it reads and writes with the `Io` of its run. */
function createProgram(): Command {
  const program = new Command('batchgate')
    .description('Durable bulk operations: one confirmation runs exactly one batch.')
    .version(packageVersion())
    // `runProgram` reports usage errors in the shape of every other error.
    .configureOutput({
      writeOut: (text) => io().stdout.write(text),
      writeErr: (text) => io().stderr.write(text),
      outputError: () => undefined,
    })
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
  addScratchpadVerbs(program);
  addLoginVerb(program);
  addDoctorVerb(program);
  addCompletionVerbs(program);
  return program;
}

/** Runs one command line, given without the name of the program. By default it is that of the process. */
export function runProgram(args: readonly string[], given: Io = io()): Promise<void> {
  return withIo(given, async () => {
    const program = createProgram();
    try {
      await program.parseAsync(args, { from: 'user' });
    } catch (error) {
      if (!(error instanceof CommanderError)) throw error;
      given.setExitCode(error.exitCode === 0 ? EXIT.done : EXIT.usage);
      // Help that was asked for, or shown because there was no verb, is its own answer.
      if (error.exitCode === 0 || error.code === 'commander.help') return;
      fail(usageError(error, program, args), args.includes('--json'));
    }
  });
}
