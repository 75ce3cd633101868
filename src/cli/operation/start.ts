import type { Client } from '@temporalio/client';
import { Option, type Command } from 'commander';
import { previewBulkOperation, startBulkOperation } from '../../client';
import { previewCommand, startCommand } from '../../commands/start';
import type { BulkOperationInput } from '../../contract/operation';
import type { BulkPreview } from '../../contract/preview';
import { visibleText } from '../../core/shared/plain-text';
import { withClient } from '../connect';
import { io, readConfig } from '../io';
import { readItems } from './item-files';
import { confirmedAtTerminal, note, printJson } from '../output';
import { flag } from '../flags';
import { texts, verb, wholeNumber } from '../verb';
import { waiting } from '../wait-line';
import { PREVIEW_FORMATS, previewOutput, type PreviewFormat } from './preview-output';
import { show } from './status';

const SHOWN_LINES = 10;
const VIA = 'terminal' as const;

interface InputFlags {
  domain: string;
  action: string;
  params?: Record<string, unknown>;
  items?: string;
  batchSize?: number;
  batchSizes?: number[];
  session?: string;
  metadata?: Record<string, unknown>;
  requestedBy?: string;
  idleTimeout?: number;
  contract?: Record<string, unknown>;
  failureThreshold?: number;
  reason?: string;
  revises?: string;
  notBefore?: string;
  approvers?: string[];
  wait?: number;
}

interface StartFlags extends InputFlags {
  id?: string;
  preview?: boolean;
  expect?: string;
}

interface PreviewFlags extends InputFlags {
  format: PreviewFormat;
}

export function addStartVerbs(program: Command): void {
  const start = verb(program, 'start', startCommand, startOperation);
  withInput(start)
    .option('--id <id>', 'the operation id; repeating the same start finds the same operation')
    .option('--preview', 'show what it would do to each item, and start nothing until you confirm')
    .addOption(flag(startCommand, 'expect_digest', '--expect <digest>'));

  const preview = verb(program, 'preview', previewCommand, async (json, flags: PreviewFlags) => {
    const input = await inputOf(flags);
    const seen = await withClient((client, task_queue) => previewed(client, task_queue, input, flags));
    printPreview(seen, json ? 'json' : flags.format);
    if (!json) note(`To start exactly this: ${commandOf(flags, seen.digest)}`);
  });
  withInput(preview).addOption(
    new Option('--format <format>', 'of the items').choices([...PREVIEW_FORMATS]).default('table'),
  );
}

/** The options for what to do, to which items, and how. */
function withInput(command: Command): Command {
  return command
    .addOption(flag(startCommand, 'domain', '--domain <adapter>'))
    .addOption(flag(startCommand, 'action', '--action <action>'))
    .addOption(flag(startCommand, 'params', '--params <json>'))
    .option(
      '--items <file>',
      'the explicit list, .csv, .xlsx or .jsonl; then --params contains only the change',
    )
    .addOption(flag(startCommand, 'batch_size', '--batch-size <n>'))
    .addOption(flag(startCommand, 'batch_sizes', '--batch-sizes <list>'))
    .addOption(flag(startCommand, 'session_id', '--session <id>'))
    .addOption(flag(startCommand, 'metadata', '--metadata <json>'))
    .addOption(flag(startCommand, 'requested_by', '--requested-by <who>'))
    .addOption(flag(startCommand, 'idle_timeout_seconds', '--idle-timeout <seconds>'))
    .addOption(flag(startCommand, 'contract', '--contract <json>'))
    .addOption(flag(startCommand, 'failure_threshold', '--failure-threshold <share>'))
    .addOption(flag(startCommand, 'reason', '--reason <text>'))
    .addOption(flag(startCommand, 'revises', '--revises <id>'))
    .addOption(flag(startCommand, 'not_before', '--not-before <time>'))
    .addOption(flag(startCommand, 'approvers', '--approvers <list>').argParser(texts))
    .option('--wait <seconds>', 'how long to wait for the first question (240)', wholeNumber);
}

async function startOperation(json: boolean, flags: StartFlags): Promise<void> {
  const input = await inputOf(flags);
  await withClient(async (client, task_queue) => {
    let expect_digest = flags.expect;
    if (flags.preview) {
      const seen = await previewed(client, task_queue, input, flags);
      printPreview(seen, json ? 'json' : 'table');
      expect_digest = seen.digest;
      if (json || !(await startsExactlyThis(flags, seen.digest))) return;
    }
    const asked = { ...input, expect_digest };
    const options = { operation_id: flags.id, task_queue, via: VIA, ...waiting(flags.wait) };
    show(await startBulkOperation(client, asked, options), json);
  });
}

function previewed(client: Client, task_queue: string, input: BulkOperationInput, { wait }: InputFlags) {
  return previewBulkOperation(client, input, { task_queue, via: VIA, ...waiting(wait) });
}

function printPreview(seen: BulkPreview, format: PreviewFormat | 'json'): void {
  if (format === 'json') return printJson(seen);
  const text = previewOutput(seen, format);
  io().stdout.write(io().stdout.isTTY ? visibleText(text) : text);
}

/** Asks at a terminal; elsewhere prints the command that starts it. */
async function startsExactlyThis(flags: StartFlags, digest: string): Promise<boolean> {
  if (!io().stdin.isTTY) {
    note(`Nothing was started. To start exactly this: ${commandOf(flags, digest)}`);
    return false;
  }
  return confirmedAtTerminal('Start exactly this?');
}

/** The command line that starts what was previewed. */
function commandOf(flags: InputFlags & { id?: string }, digest: string): string {
  const options: [string, unknown][] = [
    ['domain', flags.domain],
    ['action', flags.action],
    ['params', flags.params],
    ['items', flags.items],
    ['batch-size', flags.batchSize],
    ['batch-sizes', flags.batchSizes?.join(',')],
    ['session', flags.session],
    ['metadata', flags.metadata],
    ['requested-by', flags.requestedBy],
    ['idle-timeout', flags.idleTimeout],
    ['contract', flags.contract],
    ['failure-threshold', flags.failureThreshold],
    ['reason', flags.reason],
    ['revises', flags.revises],
    ['not-before', flags.notBefore],
    ['approvers', flags.approvers?.join(',')],
    ['id', flags.id],
    ['expect', digest],
  ];
  const given = options.filter(([, value]) => value !== undefined);
  return `npx batchgate start ${given.map(([name, value]) => `--${name} ${word(value)}`).join(' ')}`;
}

/** A value as one word of a shell. */
function word(value: unknown): string {
  const text = typeof value === 'string' ? value : JSON.stringify(value);
  return /^[\w.:@/+-]+$/.test(text) ? text : `'${text.replaceAll("'", String.raw`'\''`)}'`;
}

async function inputOf(flags: InputFlags): Promise<BulkOperationInput> {
  return {
    domain: flags.domain,
    action: flags.action,
    params: flags.params,
    ...(flags.items !== undefined && { items: await itemsOf(flags.items) }),
    batch_size: flags.batchSize,
    batch_sizes: flags.batchSizes,
    session_id: flags.session,
    metadata: flags.metadata,
    requested_by: flags.requestedBy,
    idle_timeout_seconds: flags.idleTimeout,
    contract: flags.contract,
    failure_threshold: flags.failureThreshold,
    reason: flags.reason,
    revises: flags.revises,
    not_before: flags.notBefore,
    approvers: flags.approvers,
  };
}

/** The list of a file. Repeated ids count once, with a note. */
async function itemsOf(path: string): Promise<BulkOperationInput['items']> {
  const { items, repeated, notes } = await readItems(path, readConfig().settings.max_total_items);
  notes.forEach((known) => note(`${path}: ${known}.`));
  if (repeated.length > 0) {
    const shown = repeated.slice(0, SHOWN_LINES).join(', ');
    const more = repeated.length > SHOWN_LINES ? ', …' : '';
    note(`${repeated.length} line(s) repeat an id and count once: line ${shown}${more}.`);
  }
  return items;
}
