import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { isTooDeep } from '../../src/contract/text';
import { BatchgateError } from '../../src/contract/errors';
import type { Macro, MacroBundle } from '../../src/contract/macro';
import { parseMacro, mistakesError, type Mistake } from '../../src/core/macro/parse';
import { validateBundle } from '../../src/core/macro/validate';
import { parseMacroRunInput } from '../../src/core/macro/view';
import { SIZE_WORDS } from './findings';
import { createWorld, DATABASES, runModel, type ModelRun, type World } from './model-run';
import { programs, type Program } from './programs';
import { FUZZ_TOOLS } from './tools';

export interface Trial {
  program: Program;
  /** The mistakes that `macro validate` reports; empty if it accepts. */
  mistakes: Mistake[];
  run: ModelRun;
}

/** Runs work over a folder with the files that the programs fetch from. */
export async function withResources<T>(work: (folder: string) => Promise<T>): Promise<T> {
  const folder = await mkdtemp(join(tmpdir(), 'batchgate-fuzz-'));
  try {
    const rows = Array.from({ length: 1_500 }, (_, at) => `${at},${'lorem ipsum '.repeat(10)}`);
    await writeFile(join(folder, 'rows.csv'), ['id,note', ...rows].join('\n'));
    await writeFile(join(folder, 'one.json'), '[{"id": 1, "in": [true, null]}]');
    return await work(folder);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

/** Runs generated programs with the machine and the activities, without a server. Returns the first failure. */
export async function fuzzModel(
  options: { runs: number; seed: number; resourcesDir: string },
  seen: (trial: Trial) => Promise<void> | void = () => undefined,
): Promise<string | undefined> {
  const world = createWorld(options.resourcesDir);
  const turns = fc.array(fc.nat({ max: 100_000 }), { minLength: 1, maxLength: 300 });
  const property = fc.asyncProperty(programs, turns, async (program, draws) => {
    let at = 0;
    const draw = (below: number) => (draws[at++ % draws.length] ?? 0) % below;
    const trial = await tried(world, program, draw);
    const wrong = wrongIn(trial);
    await seen(trial);
    if (wrong.length > 0) throw new Error(wrong.join('\n'));
  });
  const details = await fc.check(property, { numRuns: options.runs, seed: options.seed });
  if (!details.failed) return undefined;
  const [program] = details.counterexample ?? [];
  const error = details.errorInstance instanceof Error ? details.errorInstance.stack : '';
  return `after ${details.numRuns} runs, seed ${details.seed}, path ${details.counterexamplePath}:\n${error}\n${shown(program)}`;
}

async function tried(world: World, program: Program, draw: (below: number) => number): Promise<Trial> {
  const mistakes = mistakesOf(program);
  const refusal = refusedAsInput(program);
  if (refusal === undefined) return { program, mistakes, run: await runModel(world, program, draw) };
  const { body } = refusal;
  const run = {
    state: 'rejected',
    error: body,
    wrong: [],
    calls: 0,
    steps: 0,
    breaths: 0,
    longest_ms: 0,
  } as const;
  return { program, mistakes, run: { ...run, wrong: [] } };
}

/** Validates a program like `macro validate` and `macro run`. */
function mistakesOf({ macro, macros, args }: Program): Mistake[] {
  const parsed = [macro, ...Object.values(macros)].map((one) => parseMacro(one, 'main'));
  const wrong = parsed.flatMap((one) => ('mistakes' in one ? one.mistakes : []));
  if (wrong.length > 0) return wrong;
  const members = parsed.flatMap((one) => ('macro' in one ? [one.macro] : []));
  const bundle: MacroBundle = {
    root: (members[0] as Macro).name,
    macros: Object.fromEntries(members.map((one) => [one.name, one])),
  };
  return validateBundle(bundle, { tools: FUZZ_TOOLS, databases: DATABASES, args: args });
}

/** Parses a program like the client and the workflow. */
function refusedAsInput(program: Program): BatchgateError | undefined {
  try {
    parseMacroRunInput(program);
    return undefined;
  } catch (error) {
    if (error instanceof BatchgateError) return error;
    throw error;
  }
}

/** Violations of the fuzzer's rules. */
export function wrongIn({ program, mistakes, run }: Trial): string[] {
  const wrong = [...run.wrong];
  const answer = `${run.error?.message ?? ''} ${JSON.stringify(run.error?.details ?? {})}`;
  if (
    run.state === 'rejected' &&
    !mistakes.some(({ message }) => answer.includes(message.replace(/\.$/, '')))
  )
    wrong.push(`validate says ${JSON.stringify(mistakes.slice(0, 3))}, and the run is rejected: ${answer}`);
  if (run.state !== 'rejected' && mistakes.length > 0)
    wrong.push(`validate refuses what runs: ${mistakesError(mistakes).message}`);
  // Without arguments, answers or rows, any value that is too large is in the file.
  if (
    run.state === 'failed' &&
    run.calls === 0 &&
    SIZE_WORDS.test(run.error?.message ?? '') &&
    isClosed(program)
  )
    wrong.push(`validate could have known: ${run.error?.message}`);
  return wrong;
}

/** True if a program uses no value of its arguments. */
const isClosed = ({ macro }: Program): boolean => !/\{\{|rows/.test(JSON.stringify(macro));

const SHOWN = 4_000;

function shown(program: Program | undefined): string {
  if (isTooDeep(program)) return 'nested too deep to be printed';
  return JSON.stringify(program, (key, value: unknown) => (key === 'rows' ? undefined : value))
    .replaceAll(/(.)\1{100,}/g, '$1…')
    .slice(0, SHOWN);
}
