import { Option } from 'commander';
import { z } from 'zod';
import { inSentence, jsonObject, share, wholeNumber, wholeNumbers } from './verb';

/** The option for a field of a command, with the words, the choices and the kind of value of its schema. */
export function flag<I extends z.ZodObject>(
  { input }: { input: I },
  field: keyof I['shape'] & string,
  usage: string,
): Option {
  const schema = (input.shape as Record<string, z.ZodType>)[field] ?? z.never();
  const option = new Option(usage, inSentence(schema.description ?? ''));
  option.makeOptionMandatory(!schema.safeParse(undefined).success);
  const kind = schema instanceof z.ZodOptional ? schema.unwrap() : schema;
  if (kind instanceof z.ZodEnum) option.choices(kind.options as string[]);
  if (kind instanceof z.ZodNumber) option.argParser(kind.isInt ? wholeNumber : share);
  if (kind instanceof z.ZodArray) option.argParser(wholeNumbers);
  if (kind instanceof z.ZodRecord || kind instanceof z.ZodObject) option.argParser(jsonObject);
  return option;
}
