import { Argument, type Command } from 'commander';
import { listBulkOperations } from '../../client';
import { candidatesFor, joinBashWords, printed, type Candidate } from './candidates';
import { COMPLETION_VERB, SCRIPTS, type Shell } from './scripts';
import { withClient } from '../connect';
import { io } from '../io';
import { outlinedProgram } from '../outline';
import { print } from '../output';

const SHELLS = Object.keys(SCRIPTS);
/** Verbs about operations that have not ended. */
const OF_LIVE_ONES = ['continue', 'cancel', 'complete', 'extend', 'resolve', 'edit', 'delegate'];
/** The longest wait after a person presses Tab. */
const PATIENCE_MS = 2_000;

export function addCompletionVerbs(program: Command): void {
  const shell = () => new Argument('<shell>', 'whose').choices(SHELLS);
  program
    .command('completion')
    .description('the completion script for a shell, with install instructions')
    .addArgument(shell())
    .action((name: Shell) => print(SCRIPTS[name].trimEnd()));
  program
    .command(COMPLETION_VERB, { hidden: true })
    .addArgument(shell())
    .argument('[words...]')
    .action(async (name: Shell, words: string[]) => {
      const line = name === 'bash' ? joinBashWords(words) : { words, cut: 0 };
      const answer = candidatesFor(await outlinedProgram(), line.words);
      const completion =
        'operationIdsOf' in answer ? { candidates: await operationIds(answer.operationIdsOf) } : answer;
      // Exits at once: a server that does not answer must not block the prompt.
      io().stdout.write(printed(completion, line.words.at(-1) ?? '', line.cut), () => process.exit(0));
    });
}

/** Returns no candidates, and throws no error, if no server answers in time. */
async function operationIds(verb: string): Promise<Candidate[]> {
  const live = OF_LIVE_ONES.includes(verb);
  const operations = withClient((client) =>
    listBulkOperations(client, { ...(live && { live }), limit: 50, progress: false }),
  );
  const late = new Promise<never>((_resolve, reject) => setTimeout(reject, PATIENCE_MS).unref());
  try {
    const rows = await Promise.race([operations, late]);
    return rows.map(({ operation_id, domain, state }) => ({
      value: operation_id,
      description: `${domain ?? ''} ${state ?? ''}`.trim(),
    }));
  } catch {
    return [];
  }
}
