import { setTimeout as sleep } from 'node:timers/promises';
import type { Client } from '@temporalio/client';
import { z } from 'zod';
import { getBulkStatus, getMacroTurn } from '../../client';
import { macroTurnSchema, startMacroCommand } from '../../commands/macros';
import { BatchgateError } from '../../contract/errors';
import { macroName } from '../../contract/macro';
import type { MacroTurn } from '../../contract/macro-run';
import { run_id } from '../../commands/fields';
import { upTo } from '../../contract/text';
import { beyondSessions } from '../../core/access/permissions';
import { macroPage } from '../../core/approval/address';
import { isEnded } from '../../core/macro/view';
import { checkReach } from '../caller';
import type { Call } from '../context';
import { patienceOf } from '../progress';
import type { Answer } from '../results';
import { CHANGES, mcpTool } from '../tool';
import { commandCaller, session_id } from './commands';

const LOOK_EVERY_MS = 500;

/** Without the pattern of `macroName` in the described schema: it looks ahead, which not every host can read. */
const name = upTo(150)
  .min(1)
  .refine(
    (text) => macroName.safeParse(text).success,
    'must be letters, digits, underscores, dots and dashes',
  )
  .describe('Its name');

/** Starts a macro, waits, and looks at the run again. */
export const runMacroTool = mcpTool({
  name: 'run_macro',
  title: 'Run a macro',
  description:
    "Runs a macro of the operator's folder by its name, and waits for its end. You cannot pass steps of your own. Bulk operations that it starts ask a person as always; a person answers its questions on page_url. With run_id it looks at a run that you started.",
  input: z.strictObject({
    macro: name.optional(),
    args: startMacroCommand.input.shape.args,
    run_id: run_id.optional().describe('Of a run to look at, instead of a macro'),
    session_id,
  }),
  output: macroTurnSchema.extend({ page_url: z.string(), next_step: z.string() }),
  traits: CHANGES,
  async run({ run_id: runId, ...request }, call) {
    const { client, caller } = call;
    const { macro } = request;
    if ((macro === undefined) === (runId === undefined)) throw oneOf(macro !== undefined);
    if (macro === undefined) {
      await checkReach(client, caller, runId ?? '');
      return viewOf(call, await awaitTurn(call, runId ?? ''));
    }
    if (caller.session_prefix !== undefined) throw beyondSessions(caller.session_prefix);
    const started = await startMacroCommand.run(client, { ...request, macro }, commandCaller(call));
    return viewOf(call, await awaitTurn(call, started.run_id));
  },
});

const oneOf = (both: boolean) =>
  new BatchgateError(
    'INVALID_INPUT',
    both ? 'run_macro: macro and run_id are both given.' : 'run_macro: neither macro nor run_id is given.',
    'Give macro to start a run, or run_id to look at one; nothing was run.',
  );

interface Turn extends MacroTurn {
  /** The operations of the run that wait for a person. */
  waiting: string[];
}

/** Waits until the run ends, a person is needed, or the host stops waiting. */
async function awaitTurn(call: Call, runId: string): Promise<Turn> {
  const { progress, signal } = patienceOf(call);
  for (;;) {
    const turn = await getMacroTurn(call.client, runId);
    const waiting = await waitingOf(call.client, turn);
    const needsPerson = turn.state === 'awaiting_answer' || waiting.length > 0;
    if (isEnded(turn) || needsPerson || signal.aborted) return { ...turn, waiting };
    await progress?.tell(`The macro runs: ${turn.steps_total} steps so far.`);
    await sleep(LOOK_EVERY_MS, undefined, { signal }).catch(() => undefined);
  }
}

async function waitingOf(client: Client, { operations = [] }: MacroTurn): Promise<string[]> {
  const statuses = await Promise.all(operations.map((id) => getBulkStatus(client, id)));
  return statuses.filter((status) => status.needs_confirmation).map((status) => status.operation_id);
}

async function viewOf({ context }: Call, { waiting, ...turn }: Turn): Promise<Answer> {
  const page_url = macroPage(await context.origin(), turn.run_id);
  const next_step = nextStep(turn, waiting);
  return { said: `The macro run is ${turn.state}. ${next_step}`, data: { ...turn, page_url, next_step } };
}

function nextStep(turn: MacroTurn, waiting: readonly string[]): string {
  if (isEnded(turn)) return 'Report the outcome.';
  const again = 'Then call run_macro with run_id to look again.';
  if (turn.state === 'awaiting_answer')
    return `Show the person the questions and the link page_url, where they answer. ${again}`;
  if (waiting.length > 0)
    return `Call get_bulk_status for each of operations, show the person its question, and call continue_bulk_operation. ${again}`;
  return 'Call run_macro with run_id to look again.';
}
