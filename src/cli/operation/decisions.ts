import type { Client } from '@temporalio/client';
import type { Command } from 'commander';
import type { z } from 'zod';
import {
  cancelJob,
  continueBulkOperation,
  delegateApproval,
  endQuarantined,
  gateOf,
  getBulkStatus,
  getStatusAfter,
  handleMessage,
  NO_GATE,
  questionNotSeen,
  reviseBulkOperation,
  type DecisionOptions,
  type SeenGate,
} from '../../client';
import { cancelCommand, continueCommand, delegateCommand, reviseCommand } from '../../commands/decisions';
import { WORKFLOW_TYPES } from '../../contract/messages';
import { BatchgateError } from '../../contract/errors';
import type { BulkStatus, BulkTurn } from '../../contract/operation';
import { recordedConfirmation } from '../../core/bulk/repetitions';
import { isClosed } from '../../core/bulk/transitions';
import { leaveBars, showsBars, withBars } from '../watch/bars';
import { visibleText } from '../../core/shared/plain-text';
import { withClient } from '../connect';
import { show, showJob } from './status';
import { EXIT, fail, note, print, printJson } from '../output';
import { listedIds } from './listed-ids';
import { atTerminal, inConversation, keepAsked, keepShown, lastAsked, lastShown } from './shown-gate';
import { withFlags, type Given, type Usages } from '../flags';
import { verb } from '../verb';

export function addActVerbs(program: Command): void {
  addDecisionVerbs(program);
  addEndVerb(program);
  addSayVerb(program);
}

function addDecisionVerbs(program: Command): void {
  const continues = verb(program, 'continue <id>', continueCommand, confirm);
  withFlags(continues, continueCommand, QUESTION).option(
    '--exclude <ids>',
    'leave these items of the batch out, separated by commas',
  );
  withFlags(continues, continueCommand, {
    by: '--by <who>',
    note: '--note <text>',
    not_before: '--not-before <time>',
  });

  const cancels = verb(
    program,
    'cancel <id>',
    'end a job of any kind; an operation at its next item boundary',
    async (json, id: string, flags: Given<typeof cancelCommand, 'reason' | 'by'>) => {
      showJob(await withClient((client) => cancelJob(client, id, flags, atTerminal)), json);
    },
  );
  withFlags(cancels, cancelCommand, { reason: '--reason <text>', by: '--by <who>' });
}

/** The options that name a question. */
export const QUESTION = {
  batch: '--batch <n>',
  attempt: '--attempt <n>',
  digest: '--digest <digest>',
} as const;

/** Adds a verb that decides about an operation, and then prints its status. */
export function decisionVerb<I extends z.ZodObject, G>(
  program: Command,
  usage: string,
  command: { title: string; input: I },
  usages: Usages<I>,
  decide: (client: Client, id: string, flags: G, how: DecisionOptions, json: boolean) => Promise<BulkTurn>,
  also?: (status: BulkStatus) => void,
): Command {
  const work = async (json: boolean, id: string, flags: G) => {
    const status = await withClient(async (client) =>
      getStatusAfter(client, await decide(client, id, flags, atTerminal, json)),
    );
    show(status, json);
    if (!json) also?.(status);
  };
  return withFlags(verb(program, usage, command, work), command, usages);
}

/** Without a batch, the revision is for the question printed here last. */
export function addReviseVerb(program: Command): void {
  decisionVerb(
    program,
    'revise <id>',
    reviseCommand,
    { note: '--note <text>', ...QUESTION, by: '--by <who>' },
    async (
      client,
      id: string,
      flags: Given<typeof reviseCommand, 'note' | 'by' | keyof typeof QUESTION>,
      how,
      json,
    ) => reviseBulkOperation(client, id, { ...(await questionOf(client, id, flags, json)), ...flags }, how),
  );
}

export function addDelegateVerb(program: Command): void {
  const usages = { to: '--to <who>', until: '--until <time>', by: '--by <who>', note: '--note <text>' };
  const whole = { ...usages, decision_id: '--decision-id <id>' };
  decisionVerb(program, 'delegate <id>', delegateCommand, whole, delegateApproval);
}

function addEndVerb(program: Command): void {
  verb(
    program,
    'end <id>',
    'end a run that is quarantined or has no worker, and free its slot',
    async (json, id: string, { reason }: { reason: string }) => {
      const run = await withClient((client) => endQuarantined(client, id, { reason }));
      if (json) printJson(run);
      else {
        print(visibleText(`Ended ${run.workflow_id}, which could not end itself: ${run.failure}`));
        if (run.type === WORKFLOW_TYPES.bulkOperation)
          print(visibleText(`What it did: npx batchgate report ${run.workflow_id}`));
      }
    },
  ).requiredOption('--reason <text>', 'why; kept with the run');
}

function addSayVerb(program: Command): void {
  verb(program, 'say <text>', 'one turn of conversation', say)
    .requiredOption('--session <id>', 'the conversation')
    .option('--message-id <id>', 'the same message twice decides once');
}

interface SayFlags {
  session: string;
  messageId?: string;
}

async function say(json: boolean, text: string, { session, messageId }: SayFlags): Promise<number> {
  const gate = lastAsked(session);
  const turn = await withClient((client, task_queue) =>
    handleMessage(client, session, text, {
      message_id: messageId,
      by: 'terminal',
      task_queue,
      seen: gate,
      // Without a `seen` question, nothing was shown here.
      given: () => NO_GATE.digest,
      ...inConversation(session),
    }),
  );
  const { error, status, intent } = turn;
  if (json) printJson(turn);
  else if (error) fail(BatchgateError.from(error), false);
  else if (turn.handled) print(visibleText(turn.reply));
  else note(`Nothing in session ${visibleText(session)} is waiting for an answer to that.`);
  // A refused answer was for another question. The open one is printed, so that the next answer is for it.
  if (!json && error && status && 'guard' in status && status.needs_confirmation) show(status, json);
  else if (status && (json || error || isClosed(status.state))) keepShown(status, json);
  else if (turn.handled) keepAsked(session, turn.asked);
  return error || (intent === 'continue' && status?.state === 'batch_failed') ? EXIT.refused : EXIT.done;
}

type ContinueFlags = Given<typeof continueCommand, keyof typeof QUESTION | 'by' | 'note' | 'not_before'>;

async function confirm(
  json: boolean,
  id: string,
  { exclude, ...flags }: ContinueFlags & { exclude?: string },
): Promise<number> {
  const excluded = exclude === undefined ? undefined : listedIds(exclude).map((item) => ({ id: item }));
  const namesGate = flags.batch !== undefined || flags.digest !== undefined;
  const lastGate = lastShown(id);
  const status = await withClient(async (client) => {
    const before = namesGate && !showsBars(json) ? undefined : await getBulkStatus(client, id);
    const gate = namesGate || !before ? {} : stillOpen({ ...lastGate, by: flags.by }, before, json);
    const turn = await withBars(client, showsBars(json) ? before : undefined, () =>
      continueBulkOperation(client, id, { ...gate, ...flags, exclude: excluded }, atTerminal),
    );
    return getStatusAfter(client, turn);
  });
  if (showsBars(json)) leaveBars(status);
  show(status, json);
  return status.state === 'batch_failed' ? EXIT.refused : EXIT.done;
}

/** The question printed here last, for a decision that does not name one. */
export async function questionOf(
  client: Client,
  id: string,
  { batch, digest, by }: { batch?: number; digest?: string; by?: string },
  json: boolean,
): Promise<Partial<SeenGate>> {
  if (batch !== undefined || digest !== undefined) return {};
  return stillOpen({ ...lastShown(id), by }, await getBulkStatus(client, id), json);
}

/**
 * The question printed here last. If the named sender has already answered it, the answer is repeated and runs nothing.
 * @throws BatchgateError `QUESTION_NOT_SEEN` if another one is open. It prints that one, so the next yes is for it.
 */
function stillOpen(
  { by, ...lastGate }: SeenGate & { by: string | undefined },
  status: BulkStatus,
  json: boolean,
): SeenGate {
  const open = gateOf(status);
  if (!open || open.digest === lastGate.digest) return lastGate;
  if (by !== undefined && recordedConfirmation(status, { ...lastGate, by })) return lastGate;
  if (json) keepShown(status, json);
  else show(status, json);
  throw questionNotSeen(status, 'Read it, and run the same command again.');
}
