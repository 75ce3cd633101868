import { Command, CommanderError } from 'commander';
import { packageVersion } from '../host/version';
import { io, withIo, type Io } from './io';
import { EXIT, fail, UsageError } from './output';

type AddVerbs = (program: Command) => void;

/** The verbs that one module adds, and its loader. A run loads only the module of its verb. */
export type VerbGroup = readonly [verbs: string, load: () => Promise<AddVerbs>];

/** Creates the command line for the `Io` of its run, with the verbs of one group or with all of them. */
export async function createProgram(groups: readonly VerbGroup[], verb?: string): Promise<Command> {
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
  const own = groups.find(([verbs]) => verb !== undefined && verbs.split(' ').includes(verb));
  for (const [, load] of own ? [own] : groups) (await load())(program);
  for (const command of program.commands) command.helpGroup(headingOf(command.name()) ?? '');
  return program;
}

/** The headings of `--help`, each with its verbs. */
const HEADINGS: Record<string, string> = {
  'Run it:': 'up worker serve mcp demo chat',
  'Ask and decide:':
    'start preview continue revise edit delegate withdraw cancel say undo complete extend resolve retry-failed resume end',
  'Look:': 'status list errors items guard watch report stats',
  'Repetitive tasks and macros:': 'task contract macro tools scratchpad',
  'Set it up:': 'touch profile link keys audit webhooks completion adapters policy login doctor',
};

const headingOf = (verb: string): string | undefined =>
  Object.keys(HEADINGS).find((heading) => HEADINGS[heading]?.split(' ').includes(verb));

/** Runs one command line, without the name of the program. By default it uses the `Io` of the process. */
export function runProgram(
  groups: readonly VerbGroup[],
  args: readonly string[],
  own: Io = io(),
): Promise<void> {
  return withIo(own, async () => {
    const program = await createProgram(groups, args[0]);
    try {
      await program.parseAsync(args, { from: 'user' });
    } catch (error) {
      if (!(error instanceof CommanderError)) throw error;
      // Help that was requested, or shown because there was no verb, is not an error.
      const isHelp = error.exitCode === 0 || error.code === 'commander.help';
      if (isHelp) own.setExitCode(error.exitCode === 0 ? EXIT.done : EXIT.usage);
      else own.setExitCode(fail(usageError(error, program, args), args.includes('--json')));
    }
  });
}

/** Converts a usage error of commander to the common error shape. */
function usageError(error: CommanderError, program: Command, args: readonly string[]): UsageError {
  const [message = '', suggestion] = error.message.replace(/^error: /, '').split('\n');
  const verb = program.commands.find((command) => command.name() === args[0]);
  const help = `Run \`npx batchgate ${verb ? `${verb.name()} ` : ''}--help\` for what it takes.`;
  return new UsageError(message, suggestion ? `${suggestion} ${help}` : help);
}

/** Runs one command line as the whole process. */
export function runProcess(groups: readonly VerbGroup[], args: readonly string[]): void {
  // A reader such as `head` may close the pipe once it has read enough.
  process.stdout.on('error', (error: NodeJS.ErrnoException) => {
    if (error.code !== 'EPIPE') throw error;
    process.exit();
  });
  // Notes to a closed pipe are dropped: they are no reason to end what runs.
  process.stderr.on('error', (error: NodeJS.ErrnoException) => {
    if (error.code !== 'EPIPE') throw error;
  });
  void runProgram(groups, args).then(() => setTimeout(endProcess, LEFT_MS).unref());
}

/** Open handles, such as those of a worker ended by force, may keep the process alive for this long after a verb. */
const LEFT_MS = 5_000;

function endProcess(): void {
  if (process.stdout.writableLength === 0) process.exit();
  setTimeout(endProcess, LEFT_MS).unref();
}
