import type { Client } from '@temporalio/client';
import { Option, type Command } from 'commander';
import { previewBulkOperation, startBulkOperation } from '../../client';
import { previewCommand, startCommand } from '../../commands/start';
import type { BulkOperationInput } from '../../contract/operation';
import type { BulkPreview } from '../../contract/preview';
import { visibleText } from '../../core/shared/plain-text';
import type { ItemList } from '../../host/items/item-list';
import { withClient } from '../connect';
import { io, readConfig } from '../io';
import { atLines, readItems } from './item-files';
import { confirmedAtTerminal, note, printJson } from '../output';
import { withFlags } from '../flags';
import { verb, wholeNumber } from '../verb';
import { waiting } from '../wait-line';
import { PREVIEW_FORMATS, previewOutput, truncationLines, type PreviewFormat } from './preview-output';
import { show } from './status';

const SHOWN_LINES = 10;
const VIA = 'terminal' as const;

/** The options for the change and for how it runs, by field. */
const WHAT = {
  domain: '--domain <adapter>',
  action: '--action <action>',
  params: '--params <json>',
} as const;
const HOW = {
  batch_size: '--batch-size <n>',
  batch_sizes: '--batch-sizes <list>',
  session_id: '--session <id>',
  metadata: '--metadata <json>',
  requested_by: '--requested-by <who>',
  idle_timeout_seconds: '--idle-timeout <seconds>',
  contract: '--contract <json>',
  failure_threshold: '--failure-threshold <share>',
  reason: '--reason <text>',
  revises: '--revises <id>',
  not_before: '--not-before <time>',
  approvers: '--approvers <list>',
} as const;

interface InputFlags extends Pick<BulkOperationInput, keyof typeof WHAT | keyof typeof HOW> {
  items?: string;
  wait?: number;
}

interface StartFlags extends InputFlags, Pick<BulkOperationInput, 'expect_digest'> {
  id?: string;
  preview?: boolean;
}

interface PreviewFlags extends InputFlags {
  format: PreviewFormat;
}

export function addStartVerbs(program: Command): void {
  const start = verb(program, 'start', startCommand, startOperation);
  withInput(start)
    .option('--id <id>', 'the operation id; repeating the same start finds the same operation')
    .option('--preview', 'show what it would do to each item, and start nothing until you confirm');
  withFlags(start, startCommand, { expect_digest: '--expect <digest>' });

  const previewVerb = verb(program, 'preview', previewCommand, async (json, flags: PreviewFlags) => {
    const preview = await withInputOf(flags, (input) =>
      withClient((client, task_queue) => previewed(client, task_queue, input, flags)),
    );
    printPreview(preview, json ? 'json' : flags.format);
    if (!json) note(`To start exactly this: ${commandOf(flags, preview.digest)}`);
  });
  withInput(previewVerb).addOption(
    new Option('--format <format>', 'of the items').choices([...PREVIEW_FORMATS]).default('table'),
  );
}

/** Adds the options for the change, for its items, and for how it runs. */
function withInput(command: Command): Command {
  const what = withFlags(command, startCommand, WHAT).option(
    '--items <file>',
    'the explicit list, .csv, .xlsx or .jsonl; then --params contains only the change',
  );
  return withFlags(what, startCommand, HOW).option(
    '--wait <seconds>',
    'how long to wait for the first question (240)',
    wholeNumber,
  );
}

const startOperation = (json: boolean, flags: StartFlags): Promise<void> =>
  withInputOf(flags, (input) => startWith(json, flags, input));

async function startWith(json: boolean, flags: StartFlags, input: BulkOperationInput): Promise<void> {
  await withClient(async (client, task_queue) => {
    let { expect_digest } = flags;
    if (flags.preview) {
      const preview = await previewed(client, task_queue, input, flags);
      printPreview(preview, json ? 'json' : 'table');
      expect_digest = preview.digest;
      if (json || !(await startsExactlyThis(flags, preview.digest))) return;
    }
    const request = { ...input, expect_digest };
    const options = { operation_id: flags.id, task_queue, via: VIA, ...waiting(flags.wait) };
    show(await startBulkOperation(client, request, options), json);
  });
}

function previewed(client: Client, task_queue: string, input: BulkOperationInput, { wait }: InputFlags) {
  return previewBulkOperation(client, input, { task_queue, via: VIA, ...waiting(wait) });
}

function printPreview(preview: BulkPreview, format: PreviewFormat | 'json'): void {
  if (format === 'json') return printJson(preview);
  const text = previewOutput(preview, format);
  io().stdout.write(io().stdout.isTTY ? visibleText(text) : text);
  if (format === 'csv' || format === 'jsonl') truncationLines(preview).forEach(note);
}

/** Asks at a terminal; elsewhere it prints the command that starts the operation. */
async function startsExactlyThis(flags: StartFlags, digest: string): Promise<boolean> {
  if (!io().stdin.isTTY) {
    note(`Nothing was started. To start exactly this: ${commandOf(flags, digest)}`);
    return false;
  }
  return confirmedAtTerminal('Start exactly this?');
}

/** The command line that starts the previewed operation. */
function commandOf(flags: InputFlags & { id?: string }, digest: string): string {
  const usages = { ...WHAT, items: '--items', ...HOW, id: '--id' };
  const options = Object.entries(usages).flatMap(([field, usage]) => {
    const value = flags[field as keyof typeof usages];
    return value === undefined ? [] : [`${usage.split(' ')[0]} ${word(value)}`];
  });
  return `npx batchgate start ${[...options, `--expect ${digest}`].join(' ')}`;
}

/** A value as one word of a shell. */
function word(value: unknown): string {
  const text =
    typeof value === 'string' ? value : Array.isArray(value) ? value.join(',') : JSON.stringify(value);
  return /^[\w.:@/+-]+$/.test(text) ? text : `'${text.replaceAll("'", String.raw`'\''`)}'`;
}

/** Runs `work` with the input of the flags. A refusal that names items then names the lines of their file. */
async function withInputOf<T>(
  flags: InputFlags,
  work: (input: BulkOperationInput) => Promise<T>,
): Promise<T> {
  const fields = Object.keys({ ...WHAT, ...HOW }) as (keyof typeof WHAT | keyof typeof HOW)[];
  const input = Object.fromEntries(fields.map((field) => [field, flags[field]])) as unknown as InputFlags;
  const path = flags.items;
  if (path === undefined) return work({ ...input, items: undefined });
  const { items, lines } = await itemsOf(path);
  try {
    return await work({ ...input, items });
  } catch (error) {
    throw atLines(error, path, lines);
  }
}

/** Reads the items of a file. Repeated ids count once, with a note. */
async function itemsOf(path: string): Promise<Pick<ItemList, 'items' | 'lines'>> {
  const { items, lines, repeated, notes } = await readItems(path, readConfig().settings.max_total_items);
  notes.forEach((text) => note(`${path}: ${text}.`));
  if (repeated.length > 0) {
    const list = repeated.slice(0, SHOWN_LINES).join(', ');
    const more = repeated.length > SHOWN_LINES ? ', …' : '';
    note(`${repeated.length} line(s) repeat an id and count once: line ${list}${more}.`);
  }
  return { items, lines };
}
