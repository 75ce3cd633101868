import { writeFile } from 'node:fs/promises';
import { Option, type Command } from 'commander';
import {
  completeBulkOperation,
  extendBulkOperation,
  getItemProof,
  getReport,
  QUESTION_COLUMNS,
  questionCells,
  questionsText,
  REPORT_FORMATS,
  reportText,
  type ReportFormat,
  resolveItem,
  retryFailedItems,
  touch,
  withdrawBulkOperation,
} from '../../client';
import { completeCommand, extendCommand, resolveCommand, withdrawCommand } from '../../commands/decisions';
import { retryCommand } from '../../commands/follow-ups';
import { BatchgateError } from '../../contract/errors';
import type { QuestionRecord } from '../../contract/record';
import { jsonLine, visibleText, oneLine, shellWord } from '../../core/shared/plain-text';
import { withClient } from '../connect';
import { io } from '../io';
import { decisionVerb, QUESTION } from './decisions';
import { atTerminal } from './shown-gate';
import { show } from './status';
import { EXIT, note, noteNext, print, printJson, causeOf, localReader, table, UsageError } from '../output';
import { completeVerb } from '../progress/verbs';
import { flag, withFlags, type Given } from '../flags';
import { verb } from '../verb';

type Asking = Given<typeof retryCommand, 'reason' | 'requested_by'>;

/** Verbs for decisions other than continue and cancel, and for operations that have ended. */
export function addAfterVerbs(program: Command): void {
  completeVerb(program, (id, request) =>
    withClient((client) => completeBulkOperation(client, id, request, atTerminal)),
  ).addOption(flag(completeCommand, 'by', '--by <who>'));

  decisionVerb(
    program,
    'extend <id>',
    extendCommand,
    { seconds: '--seconds <n>', decision_id: '--decision-id <id>', by: '--by <who>' },
    extendBulkOperation,
    ({ expires_at }) => {
      if (expires_at) note(`The question now waits until ${expires_at}.`);
    },
  );
  decisionVerb(
    program,
    'withdraw <id>',
    withdrawCommand,
    { ...QUESTION, decision_id: '--decision-id <id>', reason: '--reason <text>', by: '--by <who>' },
    withdrawBulkOperation,
  );
  decisionVerb(
    program,
    'resolve <id>',
    resolveCommand,
    {
      item_id: '--item <id>',
      outcome: '--outcome <outcome>',
      reason: '--reason <text>',
      by: '--by <who>',
    },
    resolveItem,
  );

  const retries = verb(
    program,
    'retry-failed <id>',
    retryCommand,
    async (json, id: string, flags: Asking) => {
      const request = { ...flags, via: 'terminal' as const };
      const status = await withClient((client) => retryFailedItems(client, id, request));
      show(status, json);
      const { requested_by: kept } = status;
      if (flags.requested_by !== undefined && kept !== undefined && kept !== flags.requested_by)
        note(`Its requester is still ${oneLine(kept)}. With --reason, it is requested in the other name.`);
    },
  );
  withFlags(retries, retryCommand, { reason: '--reason <text>', requested_by: '--requested-by <who>' });

  verb(program, 'report <id> [item]', 'what was done to each item, who confirmed it and when', report)
    .addOption(new Option('--format <format>', 'of the rows; csv if not given').choices(REPORT_FORMATS))
    .option('--out <file>', 'write there instead of the terminal')
    .option(
      '--questions',
      'the questions instead of the items: when each was asked, shown and answered, and by whom',
    )
    .option('--proof', 'a proof of what was confirmed of one item, as JSON that anybody can check');
}

interface ReportFlags {
  format?: ReportFormat;
  out?: string;
  questions?: boolean;
  proof?: boolean;
}

async function report(
  json: boolean,
  id: string,
  item: string | undefined,
  { format, out, questions: withQuestions = false, proof }: ReportFlags,
): Promise<number> {
  if (proof) return prove(json, id, item, out);
  if (item !== undefined)
    throw new UsageError(
      'A report is of all items of an operation.',
      `For the proof of one item, add --proof: npx batchgate report ${shellWord(id)} --proof ${shellWord(item)}`,
    );
  const result = await withClient((client) => getReport(client, id));
  const { rows, reset, differences = [], ...head } = result;
  const chosen = json ? 'jsonl' : format;
  if (withQuestions) {
    const { questions } = head;
    await deliver(questionsIn(questions, chosen), out, `${questions.length} questions written to ${out}.`);
    return EXIT.done;
  }
  if (differences.length > 0) {
    note(`Ledger and history differ for ${differences.length} item(s); the rows are the ledger's:`);
    for (const { id: item, ledger, history } of differences)
      note(`  ${oneLine(item)}: ${ledger} in the ledger, ${history} in the history`);
  }
  if (reset)
    note('The operation was reset in Temporal; the rows are what its ledger has, and nothing ran twice.');
  const text = reportText({ ...head, rows }, chosen ?? 'csv', localReader());
  await deliver(text, out, `${rows.length} rows written to ${out}.`);
  if (!json)
    noteNext(
      `status ${shellWord(id)}`,
      ...(out === undefined ? [`report ${shellWord(id)} --out report.csv`] : []),
    );
  return differences.length === 0 ? EXIT.done : EXIT.refused;
}

/** The questions in a format, or as a table for people. */
const questionsIn = (questions: readonly QuestionRecord[], format: ReportFormat | undefined): string =>
  format
    ? questionsText(questions, format)
    : `${visibleText(table([...QUESTION_COLUMNS], questions.map(questionCells)))}\n`;

/** A file has the names unchanged; a terminal gets nothing that could move its cursor. */
async function deliver(text: string, out: string | undefined, written: string): Promise<void> {
  if (out === undefined) {
    io().stdout.write(io().stdout.isTTY ? visibleText(text) : text);
    return;
  }
  await writeReport(out, text);
  note(written);
}

async function prove(json: boolean, id: string, item: string | undefined, out?: string): Promise<number> {
  if (item === undefined)
    throw new UsageError(
      '--proof is about one item, and none is named.',
      `Name it: npx batchgate report ${shellWord(id)} --proof ITEM`,
    );
  const proof = await withClient((client) => getItemProof(client, id, item));
  const text = `${json ? jsonLine(proof) : JSON.stringify(proof, null, 2)}\n`;
  await deliver(text, out, `The proof is in ${out}. Check it as docs/proofs.md says.`);
  return EXIT.done;
}

async function writeReport(file: string, text: string): Promise<void> {
  try {
    await writeFile(file, text);
  } catch (error) {
    const cause = causeOf(error)?.cause ?? (error as Error).message;
    throw new BatchgateError(
      'INVALID_INPUT',
      `The report cannot be written to ${file}: ${cause}.`,
      'Choose a file in an existing, writable folder with --out. The operation was not touched.',
    );
  }
}

export function addTouchVerb(program: Command): void {
  verb(
    program,
    'touch',
    'record activity: hygiene is held off for 15 minutes',
    async (json, { by, session }: { by?: string; session?: string }) => {
      const answer = await withClient(
        (client, taskQueue) => touch(client, { by, session_id: session }, taskQueue),
        // The call itself records the activity.
        { isActivity: false },
      );
      if (json) return printJson(answer);
      print(`Hygiene is held off until ${answer.cron_pause_until}.`);
      if (session === undefined) return;
      print(
        answer.job
          ? `The live job of ${oneLine(session)} is ${oneLine(answer.job.job_id)}.`
          : `${oneLine(session)} has no live job.`,
      );
    },
  )
    .option('--by <who>', 'who is here')
    .option('--session <id>', 'show the live job of this session too');
}
