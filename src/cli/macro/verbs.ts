import { characters, cutAt } from '../../contract/text';
import { existsSync } from 'node:fs';
import { resolve } from 'node:path';
import { InvalidArgumentError, type Command } from 'commander';
import { getMacroTrace, getMacroTurn, getProposedMacro, startMacro } from '../../client';
import { startMacroCommand } from '../../commands/macros';
import { BatchgateError } from '../../contract/errors';
import { isMacroRun } from '../../contract/job-ids';
import type { Json, Macro, MacroBundle, Variables } from '../../contract/macro';
import { InexactNumber, readJson } from '../../core/shared/json';
import { outlineOf } from '../../core/macro/outline';
import { mistakesError } from '../../core/macro/parse';
import { validateBundle } from '../../core/macro/validate';
import { findMacro, listMacros, loadCalled, loadMacroFile } from '../../host/macro-files';
import { oneLine, sentences } from '../../core/shared/plain-text';
import { sourceMistakes } from '../../host/resources';
import { withClient } from '../connect';
import { io, readConfig } from '../io';
import { followMacro, showTrace } from './progress';
import { addMacroRunVerbs, showMacro } from './runs';
import { EXIT, note, print, printJson, table } from '../output';
import { macroTools } from '../tools';
import { withFlags, type Given } from '../flags';
import { verb } from '../verb';
import { waiting } from '../wait-line';

interface RunFlags extends Given<typeof startMacroCommand, 'database' | 'session_id' | 'profile'> {
  arg: Variables;
  id?: string;
}

/** Verbs for macros (specification M1): files are read on this machine, and runs execute on the workers. */
export function addMacroVerbs(program: Command): void {
  const macro = program.command('macro').description('scripts of steps, run durably');
  const run = verb(macro, 'run <file>', 'run a macro file, or one of macros_dir by its name', runMacro);
  run.option('--arg <name=text>', 'an argument; name:=JSON for anything but text; repeatable', argument, {});
  withFlags(run, startMacroCommand, {
    database: '--database <name>',
    session_id: '--session <id>',
    profile: '--profile <name>',
  }).option('--id <id>', 'the id of the run; if that run exists, it is used');

  verb(macro, 'validate <file>', 'check macro files and list every mistake', async (json, file: string) => {
    const bundle = await load(file);
    const { file: configured } = readConfig();
    const databases = Object.keys(configured.databases);
    const mistakes = [
      ...validateBundle(bundle, { tools: await macroTools(), databases }),
      ...(await sourceMistakes(bundle, { databases, resourcesDir: folderOf('resources_dir') })),
    ];
    if (mistakes.length > 0) throw mistakesError(mistakes);
    const { parameters = [] } = bundle.macros[bundle.root] ?? {};
    if (json)
      return printJson({ valid: true, macro: bundle.root, macros: Object.keys(bundle.macros), parameters });
    print(`${bundle.root} is valid, with ${Object.keys(bundle.macros).length} macro(s) in all.`);
  });

  verb(macro, 'list', 'the macros in macros_dir', list);

  verb(
    macro,
    'show <file>',
    'a macro and its steps; or a proposed one, by the id of its run',
    async (json, file: string) => {
      const definition = await shownMacro(file);
      if (definition === undefined) return;
      if (json) return printJson(definition);
      const { name, description, parameters = [], database, steps } = definition;
      print(`${name}${description === undefined ? '' : `: ${oneLine(description)}`}`);
      if (parameters.length > 0) print(`parameters ${parameters.join(', ')}`);
      if (database !== undefined) print(`database   ${oneLine(database)}`);
      outlineOf(steps).forEach(print);
    },
  );

  addMacroRunVerbs(macro);
  verb(macro, 'trace <id>', 'where a run stands, and its latest steps', async (json, id: string) => {
    const trace = await withClient((client) => getMacroTrace(client, id));
    if (json) printJson(trace);
    else showTrace(trace);
  });
}

async function runMacro(json: boolean, file: string, flags: RunFlags): Promise<number> {
  const { arg: args, id: run_id, ...options } = flags;
  const { root, macros } = await load(file);
  const { [root]: macro, ...others } = macros;
  if (macro === undefined) throw noSuchMacro(file);
  const mistakes = validateBundle({ root, macros }, { args });
  if (mistakes.length > 0) throw mistakesError(mistakes);
  const input = { macro, macros: others, args, ...options };
  return withClient(async (client, task_queue) => {
    const { run_id: id } = await startMacro(client, input, { ...waiting(), task_queue, run_id });
    note(`macro run ${id}`);
    const result = await Promise.race([followMacro(client, id, note), interrupted()]);
    if (result === undefined) {
      note('The macro continues without you.');
      showMacro(await getMacroTurn(client, id), json);
      return EXIT.left;
    }
    const { state, error, variables } = result;
    if (state !== 'completed') {
      const { code, message, hint, details } = error ?? {
        code: 'MACRO_FAILED' as const,
        message: state,
        hint: '',
      };
      throw new BatchgateError(code, message, hint, { ...(details as object), run_id: id, state });
    }
    if (json) printJson(result);
    else {
      print(`${macro.name}: ${state}.`);
      for (const [name, value] of Object.entries(variables)) print(`${name} = ${valueText(value)}`);
    }
    return EXIT.done;
  });
}

/** Ctrl-C stops watching, not the run; a second one ends the process at once. */
function interrupted(): Promise<undefined> {
  return new Promise((resolve) => {
    io().onInterrupt(() => resolve(undefined));
  });
}

const SHOWN_LENGTH = 200;
function valueText(value: Json): string {
  const text = oneLine(JSON.stringify(value));
  return text.length <= SHOWN_LENGTH
    ? text
    : `${cutAt(text, SHOWN_LENGTH)}… (${characters(text)} characters)`;
}

async function list(json: boolean): Promise<void> {
  const folder = macrosDir();
  if (folder === undefined) {
    throw new BatchgateError(
      'NOT_CONFIGURED',
      'No folder of macros is configured.',
      'Set "macros_dir" in batchgate.config.json.',
    );
  }
  const rows = (await listMacros(folder)).map((entry) => {
    if ('mistakes' in entry) return { file: entry.file, error: mistakesError(entry.mistakes).message };
    const { name, description, parameters = [], database } = entry.macro;
    return { file: entry.file, name, description, parameters, database };
  });
  if (json) return rows.forEach(printJson);
  const cells = rows.map(({ file, name = '', description, parameters = [], database = '', error }) => [
    name,
    parameters.join(', '),
    oneLine(database),
    error ?? description ?? '',
    file,
  ]);
  print(table(['MACRO', 'PARAMETERS', 'DATABASE', '', 'FILE'], cells));
}

/** The macro that `load` returns, or the one that the run with this id proposes. */
async function shownMacro(file: string): Promise<Macro | undefined> {
  if (isMacroRun(file) && !file.endsWith('.json'))
    return withClient((client) => getProposedMacro(client, file));
  const { root, macros } = await load(file);
  return macros[root];
}

/** Loads a macro by the path of its file, or by its name in macros_dir. */
async function load(file: string): Promise<MacroBundle> {
  const folder = macrosDir();
  const folders = folder === undefined ? [] : [folder];
  if (existsSync(file) || /[/\\]|\.json$/.test(file)) return loadMacroFile(file, folder);
  const result = await findMacro(file, folders);
  if (result === undefined) throw noSuchMacro(file);
  if ('mistakes' in result) throw mistakesError(result.mistakes);
  return loadCalled(result.macro, {}, folders);
}

function noSuchMacro(file: string): BatchgateError {
  return new BatchgateError(
    'NOT_FOUND',
    `There is no macro ${file}.`,
    'Give the path of a .json file, or the name of one in macros_dir; see `batchgate macro list`.',
  );
}

const macrosDir = () => folderOf('macros_dir');

function folderOf(field: 'macros_dir' | 'resources_dir'): string | undefined {
  const { folder, [field]: path } = readConfig().file;
  return path === undefined ? undefined : resolve(folder, path);
}

function argument(text: string, before: Variables): Variables {
  const [, name, json, value] = /^([A-Za-z_]\w*)(:?)=([^]*)$/.exec(text) ?? [];
  if (name === undefined || value === undefined)
    throw new InvalidArgumentError('Give a name, an equals sign and the text; name:=JSON for anything else.');
  if (json === '') return { ...before, [name]: value };
  try {
    return { ...before, [name]: readJson(value) as Json };
  } catch (error) {
    if (error instanceof InexactNumber) throw new InvalidArgumentError(sentences(error.message, error.hint));
    throw new InvalidArgumentError(`What follows ${name}:= is not valid JSON.`);
  }
}
