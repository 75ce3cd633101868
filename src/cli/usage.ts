import type { Command, CommanderError } from 'commander';
import { BatchgateError } from '../contract/errors';

/** What commander says of a wrong command line, in the one shape of an error. */
export function usageError(error: CommanderError, program: Command, args: readonly string[]): BatchgateError {
  const [said = '', suggestion] = error.message.replace(/^error: /, '').split('\n');
  const verb = program.commands.find((it) => it.name() === args[0]);
  const help = `Run \`npx batchgate ${verb ? `${verb.name()} ` : ''}--help\` for what it takes.`;
  return new BatchgateError('INVALID_INPUT', said, suggestion ? `${suggestion} ${help}` : help);
}
