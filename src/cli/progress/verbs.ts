import { InvalidArgumentError, type Command } from 'commander';
import { completeTaskRunCommand, recordCommand } from '../../commands/task-runs';
import { BatchgateError } from '../../contract/errors';
import type { CompleteRequest } from '../../contract/messages';
import type { CompletionGuardResult, ProgressView } from '../../contract/progress';
import type { RecordRequest } from '../../contract/task-run';
import { oneLine } from '../../core/shared/plain-text';
import { print, printJson } from '../output';
import { flag } from '../flags';
import { jsonObject, verb } from '../verb';

/** The flags that record and complete, shared by the verbs of progress contracts and of task runs. */

export const contractFlag = [
  '--contract <json>',
  'what completion requires, such as {"expected_total": 3}',
  jsonObject,
] as const;

export function recordVerb(
  group: Command,
  work: (json: boolean, id: string, request: RecordRequest) => Promise<void>,
): void {
  verb(
    group,
    'record <id>',
    'record what was done; repeating it changes nothing',
    (json, id: string, flags: RecordFlags) => {
      const { completed, failed, skipped, cursor, stopConditionSatisfied } = flags;
      const stop = { stop_condition_satisfied: stopConditionSatisfied };
      return work(json, id, { completed, failed, skipped, cursor, ...stop });
    },
  )
    .option('--completed <items>', 'comma separated', list)
    .option('--failed <item=reason>', 'once for each item', reasons, [])
    .option('--skipped <item=reason>', 'once for each item', reasons, [])
    .addOption(flag(recordCommand, 'cursor', '--cursor <text>'))
    .option('--stop-condition-satisfied', 'the stop condition of the contract is satisfied');
}

export function completeVerb(
  group: Command,
  complete: (id: string, request: CompleteRequest) => Promise<CompletionGuardResult>,
): Command {
  return verb(
    group,
    'complete <id>',
    'mark it complete; refused while its contract is not met',
    async (json, id: string, flags: CompleteRequest) => {
      const guard = await complete(id, flags);
      if (!guard.allowed) throw guardBlocked(guard);
      if (json) printJson(guard);
      else print(['Completed.', ...(guard.evidence === undefined ? [] : [guard.evidence])].join(' '));
    },
  )
    .addOption(flag(completeTaskRunCommand, 'force', '--force'))
    .addOption(flag(completeTaskRunCommand, 'reason', '--reason <text>'));
}

/** Prints the terms of the contract that the counts do not show. */
export function printTerms({ stop_condition, stop_condition_satisfied, ...terms }: Terms): void {
  const { min_completed, failed_policy, skipped_policy } = terms;
  if (min_completed !== undefined) print(`minimum    ${min_completed} completed`);
  if (stop_condition !== undefined)
    print(
      `stop when  ${oneLine(stop_condition)} (${stop_condition_satisfied ? '' : 'not '}marked satisfied)`,
    );
  if (failed_policy !== undefined)
    print(`policies   failed: ${failed_policy}, skipped: ${skipped_policy ?? ''}`);
}

type Terms = Pick<
  ProgressView,
  'stop_condition' | 'stop_condition_satisfied' | 'min_completed' | 'failed_policy' | 'skipped_policy'
>;

export function printMissing({ reason, suggested_next_action = '' }: CompletionGuardResult): void {
  if (reason !== undefined) print(`missing    ${oneLine(reason)} ${oneLine(suggested_next_action)}`);
}

interface Reasoned {
  item: string;
  reason: string;
}

interface RecordFlags {
  completed?: string[];
  failed: Reasoned[];
  skipped: Reasoned[];
  cursor?: string;
  stopConditionSatisfied?: true;
}

function list(text: string): string[] {
  return text
    .split(',')
    .map((item) => item.trim())
    .filter((item) => item !== '');
}

/** Parses `item=reason`. Refuses several equals signs, because the item or the reason may contain one. */
function reasons(text: string, before: Reasoned[]): Reasoned[] {
  if (text.startsWith('{')) return [...before, jsonObject(text) as unknown as Reasoned];
  const [item = '', reason, ...more] = text.split('=');
  if (reason === undefined || item === '')
    throw new InvalidArgumentError('Give the item, an equals sign and the reason.');
  if (more.length > 0)
    throw new InvalidArgumentError('It has several equals signs; give it as {"item": "…", "reason": "…"}.');
  return [...before, { item, reason }];
}

/** A refused completion as an error: its details are the guard's result. */
function guardBlocked(guard: CompletionGuardResult): BatchgateError {
  return new BatchgateError(
    'GUARD_BLOCKED',
    guard.reason ?? 'The operation cannot be completed yet.',
    `${guard.suggested_next_action ?? 'Continue it.'} Or complete it with --force and a --reason.`,
    guard,
  );
}
