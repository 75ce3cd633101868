import type { Client } from '@temporalio/client';
import type { Command } from 'commander';
import {
  answerMacro,
  cancelJob,
  getMacroTurn,
  listMacroRuns,
  macroQuestionSeen,
  pauseMacro,
  resumeMacro,
  type MacroRow,
} from '../../client';
import {
  answerMacroCommand,
  cancelMacroCommand,
  getMacroCommand,
  listMacroRunsCommand,
  pauseMacroCommand,
  resumeMacroCommand,
} from '../../commands/macros';
import type { MacroQuestion, MacroTurn } from '../../contract/macro-run';
import type { Json } from '../../contract/macro';
import { jsonOrText } from '../../core/shared/json';
import { isEnded } from '../../core/macro/view';
import { visibleText, oneLine } from '../../core/shared/plain-text';
import { withClient } from '../connect';
import { print, printJson, table } from '../output';
import { bad, bold, ok, warn } from '../style';
import { keepAsked } from '../operation/shown-gate';
import { withFlags, type Given } from '../flags';
import { verb } from '../verb';
import { forPerson } from '../../core/shared/agent-errors';

/** Adds the verbs that show and control macro runs. */
export function addMacroRunVerbs(macro: Command): void {
  withFlags(verb(macro, 'runs', 'macro runs, live ones first, then the newest', runs), listMacroRunsCommand, {
    state: '--state <state>',
    session_id: '--session <id>',
  });

  onRun(macro, 'status <id>', getMacroCommand, getMacroTurn);
  onRun(macro, 'pause <id>', pauseMacroCommand, pauseMacro);
  onRun(macro, 'resume <id>', resumeMacroCommand, resumeMacro);

  verb(macro, 'cancel <id>', cancelMacroCommand, async (json, id: string) => {
    await withClient(async (client) => {
      // Refuses a job of another kind, which has its own verb.
      await getMacroTurn(client, id);
      const { kind, status } = await cancelJob(client, id);
      if (kind === 'macro') showMacro(status, json);
    });
  });

  const answerRun = async (json: boolean, id: string, text: string, flags: AnswerFlags) =>
    showMacro(await withClient((client) => answer(client, id, text, flags)), json);
  withFlags(verb(macro, 'answer <id> <text>', answerMacroCommand, answerRun), answerMacroCommand, {
    question: '--question <n>',
    by: '--by <who>',
  });
}

function onRun(
  macro: Command,
  usage: string,
  command: { title: string },
  work: (client: Client, id: string) => Promise<MacroTurn>,
): void {
  verb(macro, usage, command, async (json, id: string) => {
    showMacro(await withClient((client) => work(client, id)), json);
  });
}

type AnswerFlags = Given<typeof answerMacroCommand, 'question' | 'by'>;

/** Answers a question. A question with a schema takes the text as JSON, if it is JSON. */
async function answer(client: Client, id: string, text: string, flags: AnswerFlags): Promise<MacroTurn> {
  const { questions = [] } = await getMacroTurn(client, id);
  const question = questions.find(({ number }) => flags.question === undefined || number === flags.question);
  return answerMacro(client, id, {
    answer: question?.output_schema ? (jsonOrText(text) as Json) : text,
    ...flags,
  });
}

async function runs(
  json: boolean,
  filter: Given<typeof listMacroRunsCommand, 'state' | 'session_id'>,
): Promise<void> {
  const rows = await withClient((client) => listMacroRuns(client, filter));
  if (json) rows.forEach(printJson);
  else print(table(['MACRO RUN', 'MACRO', 'STATE', 'SESSION', 'STARTED'], rows.map(cellsOf), macroStateCell));
}

const cellsOf = ({ run_id, macro = '', state, session_id = '', created_at }: MacroRow): string[] => [
  run_id,
  macro,
  state ?? '',
  session_id,
  created_at,
];

const macroStateCell = (cell: string, column: number): string => (column === 2 ? macroStateWord(cell) : cell);

/** A state, coloured by what it requires of a person. */
export function macroStateWord(state: string): string {
  if (state === 'completed') return ok(state);
  if (state === 'failed' || state === 'rejected') return bad(state);
  return state === 'awaiting_answer' || state === 'paused' ? warn(state) : state;
}

/** Prints the state of a run, its questions and the next commands. */
export function showMacro(turn: MacroTurn, json: boolean): void {
  keepMacroQuestion(turn);
  if (json) return printJson(turn);
  const { run_id, macro, state, steps_total, calls, calls_limit, session_id, error } = turn;
  print(
    `${oneLine(macro)}: ${macroStateWord(state)}, ${steps_total} steps, ${calls} of at most ${calls_limit} calls.`,
  );
  print(`macro run  ${oneLine(run_id)}`);
  if (session_id !== undefined) print(`session    ${oneLine(session_id)}`);
  for (const id of turn.operations ?? []) print(`operation  ${oneLine(id)}`);
  if (error) print(`error      ${oneLine(forPerson(error))}`);
  for (const question of turn.questions ?? []) questionLines(run_id, question).forEach(print);
  if (!isEnded(turn)) print(nextFor(turn));
}

/** Records the question if it is the only one: the next message in the session answers it. */
function keepMacroQuestion({ run_id, session_id, questions = [] }: MacroTurn): void {
  const [question, second] = questions;
  if (session_id !== undefined && question && !second)
    keepAsked(session_id, macroQuestionSeen(run_id, question));
}

/** A question, and the command that answers it. */
export function questionLines(runId: string, { number, prompt, output_schema }: MacroQuestion): string[] {
  return [
    bold(`question ${number}: ${visibleText(prompt)}`),
    ...(output_schema ? [`           as JSON that fits ${JSON.stringify(output_schema)}`] : []),
    `           npx batchgate macro answer ${oneLine(runId)} --question ${number} "…"`,
  ];
}

function nextFor({ run_id, state }: MacroTurn): string {
  const verbs =
    state === 'paused' || state === 'pausing' ? ['resume', 'trace', 'cancel'] : ['trace', 'pause', 'cancel'];
  return verbs.map((name) => `           npx batchgate macro ${name} ${oneLine(run_id)}`).join('\n');
}
