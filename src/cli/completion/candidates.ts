import type { Command, Option } from 'commander';
import { FILES } from './scripts';

export interface Candidate {
  value: string;
  description?: string;
}

/** The candidates for the last word. The caller looks up the ids of operations. */
export type Answer = { candidates: Candidate[] } | { files: true } | { operationIdsOf: string };

/** Completes the last of the words after the program's name, from the verbs of the program. */
export function candidatesFor(program: Command, words: readonly string[]): Answer {
  const current = words.at(-1) ?? '';
  const { command, operands, awaiting } = follow(program, words.slice(0, -1));
  if (awaiting) return valuesOf(awaiting);
  const assignment = /^(--[^=]+)=/.exec(current);
  if (assignment) {
    const [prefix, name = ''] = assignment;
    const option = command.options.find(({ long }) => long === name);
    const answer = option === undefined ? { candidates: [] } : valuesOf(option);
    if (!('candidates' in answer)) return answer;
    return { candidates: answer.candidates.map(({ value }) => ({ value: `${prefix}${value}` })) };
  }
  if (current.startsWith('-')) return { candidates: optionsOf(command) };
  const verbs = visibleVerbs(command);
  if (verbs.length > 0 && operands === 0) {
    return { candidates: verbs.map((verb) => ({ value: verb.name(), description: verb.description() })) };
  }
  const argument = command.registeredArguments[operands];
  if (argument?.argChoices) return { candidates: argument.argChoices.map((value) => ({ value })) };
  // The verbs of a group expect other ids, such as those of task runs.
  if (argument?.name() === 'id' && command.parent === program) return { operationIdsOf: command.name() };
  return argument?.name() === 'file' ? { files: true } : { candidates: [] };
}

/** Returns the verb, the number of its operands so far, and the option that still needs its value. */
function follow(
  program: Command,
  words: readonly string[],
): { command: Command; operands: number; awaiting?: Option } {
  let command = program;
  let operands = 0;
  let awaiting: Option | undefined;
  for (const word of words) {
    if (awaiting) awaiting = undefined;
    else if (word.startsWith('-')) {
      const option = command.options.find(({ long, short }) => word === long || word === short);
      awaiting = option?.required ? option : undefined;
    } else {
      const verb =
        operands === 0 ? command.commands.find((candidate) => candidate.name() === word) : undefined;
      if (verb) command = verb;
      else operands += 1;
    }
  }
  return { command, operands, awaiting };
}

function valuesOf(option: Option): Answer {
  if (option.argChoices) return { candidates: option.argChoices.map((value) => ({ value })) };
  return option.flags.includes('<file>') ? { files: true } : { candidates: [] };
}

const visibleVerbs = (command: Command): Command[] => [...command.createHelp().visibleCommands(command)];

function optionsOf(command: Command): Candidate[] {
  return command
    .createHelp()
    .visibleOptions(command)
    .map(({ long, short, description }) => ({ value: long ?? short ?? '', description }));
}

/** Joins the words that Bash splits at `=` and `:`. Bash replaces only the text after the last split, at `cut`. */
export function joinBashWords(words: readonly string[]): { words: string[]; cut: number } {
  const joined: string[] = [];
  let glue = false;
  for (const word of words) {
    const cutter = word === '=' || word === ':';
    if ((cutter || glue) && joined.length > 0) joined.push(`${joined.pop() ?? ''}${word}`);
    else joined.push(word);
    glue = cutter;
  }
  return {
    words: joined,
    cut: Math.max(...['=', ':'].map((at) => (joined.at(-1) ?? '').lastIndexOf(at))) + 1,
  };
}

/** The lines of the candidates that begin with the typed text. */
export function printed(
  answer: Exclude<Answer, { operationIdsOf: string }>,
  current: string,
  cut: number,
): string {
  if ('files' in answer) return `${FILES}\n`;
  return answer.candidates
    .filter(({ value }) => value.startsWith(current))
    .map(({ value, description = '' }) => `${value.slice(cut)}\t${description.replaceAll(/\s+/g, ' ')}\n`)
    .join('');
}
