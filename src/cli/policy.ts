import { InvalidArgumentError, Option, type Command } from 'commander';
import { z } from 'zod';
import { parseInput } from '../contract/errors';
import { approverNameSchema, policyInputSchema } from '../contract/policy';
import { explain, type PolicyExplanation } from '../core/policy/explanation';
import { readJson } from '../core/shared/json';
import { oneLine, quoted, visibleText } from '../core/shared/plain-text';
import { refusePolicies } from '../host/policies';
import { io, readConfig } from './io';
import { print, printJson, UsageError } from './output';
import { bold } from './style';
import { jsonObject, texts, verb, wholeNumber } from './verb';

const questionSchema = policyInputSchema.extend({ approvers: z.array(approverNameSchema).min(1).optional() });
type Question = z.infer<typeof questionSchema>;

/** The defaults of a question: those of a start at the terminal. */
const defaults = (): Question => ({
  ...{ params: {}, batch_size: 10, agent: false, via: 'terminal' },
  time: new Date().toISOString(),
});

export function addPolicyVerbs(program: Command): void {
  const policy = program.command('policy').description('what operations need beside a confirmation');
  verb(policy, 'test', 'explain which policy applies to an operation, and why no earlier one does', test)
    .option('--domain <adapter>', 'the adapter')
    .option('--action <action>', 'the action of the adapter')
    .option('--params <json>', 'the parameters of the action', jsonObject)
    .option('--total <n>', 'the number of items', wholeNumber)
    .option('--batch-size <n>', 'the size of the largest batch (10)', wholeNumber)
    .addOption(new Option('--reversible <how>', 'whether it can be undone').choices(['yes', 'partly', 'no']))
    .option('--groups <json>', 'the items by what happens to them, as in a status', jsonList)
    .option('--requester <who>', 'who requests it')
    .option('--agent', 'an agent requests it')
    .option('--session <id>', 'the session')
    .option('--via <door>', 'where it is started: page, http, mcp, terminal or temporal (terminal)')
    .option('--time <time>', 'when it is planned: ISO 8601 with its offset from UTC (now)')
    .option('--approvers <list>', 'the approvers that the start names: person:NAME,group:NAME', texts)
    .option('--input <json>', 'all of these as one JSON object; - reads it from the standard input');
}

type Flags = Omit<Question, 'batch_size'> & { batchSize?: number; input?: string };

async function test(json: boolean, { batchSize, input, ...flags }: Flags): Promise<void> {
  const config = readConfig();
  const { file } = config;
  refusePolicies(config);
  const options = { ...flags, ...(batchSize !== undefined && { batch_size: batchSize }) };
  const isPiped = input === '-' || (input === undefined && Object.keys(options).length === 0);
  const text = isPiped ? await standardInput() : input;
  const fields = text === undefined ? {} : objectIn(text);
  const question = parseInput(questionSchema, { ...defaults(), ...fields, ...options }, 'The question');
  const explanation = explain(file.policies, question);
  if (json) printJson(explanation);
  else show(explanation);
}

function show({ tried, effect, policy = '', words, error }: PolicyExplanation): void {
  tried.forEach(({ policy: name, result, why }, at) =>
    print(`${at + 1}. ${oneLine(name)}: ${RESULTS[result]}. ${oneLine(why)}.`),
  );
  if (effect === 'none') print(bold('No policy matches: one confirmation runs each batch.'));
  else if (effect === 'require')
    print(bold(visibleText(`${policy === '' ? 'The start' : quoted(policy)} applies: ${words}.`)));
  else print(bold(visibleText(`The start is refused. ${error?.message ?? ''} ${error?.hint ?? ''}`)));
}

const RESULTS = { matched: 'matches', not_matched: 'does not match', failed: 'cannot be evaluated' } as const;

function objectIn(text: string): Record<string, unknown> {
  const parsed = z.record(z.string(), z.unknown()).safeParse(jsonIn(text));
  if (parsed.success) return parsed.data;
  throw new UsageError('The input is not a JSON object.', 'Write it like {"domain": "gmail", "total": 20}.');
}

function jsonIn(text: string): unknown {
  try {
    return readJson(text);
  } catch {
    return undefined;
  }
}

function jsonList(text: string): unknown[] {
  const value = jsonIn(text);
  if (Array.isArray(value)) return value;
  throw new InvalidArgumentError('It is not a JSON list.');
}

async function standardInput(): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of io().stdin) chunks.push(Buffer.from(chunk as Uint8Array));
  return Buffer.concat(chunks).toString('utf8');
}
