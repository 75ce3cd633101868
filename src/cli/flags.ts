import { Option, type Command } from 'commander';
import { z } from 'zod';
import { inSentence, jsonObject, share, texts, wholeNumber, wholeNumbers } from './verb';

interface Declared<I extends z.ZodObject> {
  readonly input: I;
}

/** The usages of the options for fields of a command. */
export type Usages<I extends z.ZodObject> = Readonly<Partial<Record<keyof I['shape'] & string, string>>>;

/** The values of the options for these fields of a command, by the names of the fields. */
export type Given<C extends Declared<z.ZodObject>, F extends keyof z.output<C['input']>> = Pick<
  z.output<C['input']>,
  F
>;

/** Adds the options for fields of a command, each with its usage. The verb receives them by the names of the fields. */
export function withFlags<I extends z.ZodObject>(
  verb: Command,
  command: Declared<I>,
  usages: Usages<I>,
): Command {
  for (const [field, usage = ''] of Object.entries<string | undefined>(usages)) {
    const option = flag(command, field, usage);
    option.attributeName = () => field;
    option.description = asTyped(option.description, usages);
    verb.addOption(option);
  }
  return verb;
}

/** A description as a command line has it: with options for fields, and with lists as an option takes them. */
function asTyped(description: string, usages: Readonly<Record<string, string | undefined>>): string {
  return description
    .replace(/\w+/g, (word) => (word.includes('_') && usages[word]?.split(' ')[0]) || word)
    .replace(/\[([\d, ]+)\]/g, (_, list: string) => list.replaceAll(' ', ''));
}

/** The option for a field of a command, with the description, the choices and the value type of its schema. */
export function flag<I extends z.ZodObject>(
  { input }: Declared<I>,
  field: keyof I['shape'] & string,
  usage: string,
): Option {
  const schema = (input.shape as Record<string, z.ZodType>)[field] ?? z.never();
  const option = new Option(usage, inSentence(schema.description ?? ''));
  option.makeOptionMandatory(!schema.safeParse(undefined).success);
  const kind = schema instanceof z.ZodOptional ? schema.unwrap() : schema;
  if (kind instanceof z.ZodEnum) option.choices(kind.options as string[]);
  if (kind instanceof z.ZodNumber) option.argParser(kind.isInt ? wholeNumber : share);
  if (kind instanceof z.ZodArray)
    option.argParser<unknown>(kind.element instanceof z.ZodNumber ? wholeNumbers : texts);
  if (kind instanceof z.ZodRecord || kind instanceof z.ZodObject) option.argParser(jsonObject);
  return option;
}
