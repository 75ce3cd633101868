import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { Argument, Command, Option } from 'commander';

/** The parts of a verb that completion needs. The build writes those of all verbs, so the Tab key loads no verb. */
interface Outline {
  name: string;
  description: string;
  options: { flags: string; description: string; choices?: readonly string[] }[];
  args: { name: string; choices?: readonly string[] }[];
  verbs: Outline[];
}

const FILE = join(__dirname, 'verbs.json');

export function outlineOf(command: Command): Outline {
  const help = command.createHelp();
  const own = new Set(command.commands);
  return {
    name: command.name(),
    description: command.description(),
    options: command.options
      .filter(({ hidden }) => !hidden)
      .map(({ flags, description, argChoices }) => ({ flags, description, choices: argChoices })),
    args: command.registeredArguments.map((argument) => ({
      name: termOf(argument),
      choices: argument.argChoices,
    })),
    verbs: help
      .visibleCommands(command)
      .filter((verb) => own.has(verb))
      .map(outlineOf),
  };
}

function termOf(argument: Argument): string {
  const name = `${argument.name()}${argument.variadic ? '...' : ''}`;
  return argument.required ? `<${name}>` : `[${name}]`;
}

/** All verbs, without their actions. */
export async function outlinedProgram(): Promise<Command> {
  return commandOf(JSON.parse(await readFile(FILE, 'utf8')) as Outline);
}

function commandOf({ name, description, options, args, verbs }: Outline): Command {
  const command = new Command(name).description(description);
  for (const { flags, description, choices } of options) {
    const option = new Option(flags, description);
    command.addOption(choices ? option.choices(choices) : option);
  }
  for (const { name, choices } of args) {
    const argument = new Argument(name);
    command.addArgument(choices ? argument.choices(choices) : argument);
  }
  for (const verb of verbs) command.addCommand(commandOf(verb));
  return command;
}
