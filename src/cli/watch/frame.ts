import { jobIdOf, jobTitle } from '../../client';
import type { BulkState, BulkStatus } from '../../contract/operation';
import { itemsPerMinute, workLeft } from '../../core/bulk/pace';
import { presentChange } from '../../core/bulk/change';
import { presentBulkStatus } from '../../core/bulk/presenter';
import { requesterLines } from '../../core/bulk/requester';
import { isClosed, needsConfirmation } from '../../core/bulk/transitions';
import { bar, progressWords } from './bars';
import { visibleText, oneLine } from '../../core/shared/plain-text';
import { io } from '../io';
import { bad, bold, dim, ok, warn } from '../style';
import { macroStateWord } from '../macro/runs';
import type { OtherRow, Watched } from './watcher';

/** A state, coloured by what it requires of a person. */
export function stateWord(state: BulkState): string {
  if (state === 'completed') return ok(state);
  if (state === 'batch_failed' || state === 'rejected') return bad(state);
  return needsConfirmation(state) ? warn(state) : state;
}

/** The lines of one operation for a terminal: its progress, its pace and its question. */
export function operationLines(watched: Watched, now: number): string[] {
  const { operation_id, status, problem } = watched;
  const trouble = problem
    ? [`  ${bad(problem.code)} ${visibleText(problem.message)} ${visibleText(problem.hint)}`]
    : [];
  if (!status) return [oneLine(operation_id), ...trouble];
  const done = watched.progress && status.state === 'running_batch' ? watched.progress.done : 0;
  const whole = { ...status, remaining: status.remaining - done };
  const head = `${bold(oneLine(operation_id))}  ${oneLine(`${status.action} on ${status.domain}`)}  ${stateWord(status.state)}`;
  if (isClosed(status.state)) return [head, ...indented(status.message).map((line) => dim(line))];
  const facts = [progressWords(whole), ...pace(watched, status, whole.remaining, now)];
  const batch = watched.progress;
  return [
    head,
    `  ${bar(status.total - whole.remaining, status.total, io().stdout)} ${facts.join(' · ')}`,
    ...(status.state === 'running_batch' && batch
      ? [
          `  ${bar(batch.done, batch.total, io().stdout)} batch ${batch.batch} of ${status.batches_total}: ${batch.done}/${batch.total}`,
        ]
      : []),
    ...(status.next_batch
      ? [presentChange(status.next_batch.change), ...requesterLines(status)].map((line) => `  ${line}`)
      : []),
    ...(status.needs_confirmation ? waits(status, now) : []),
    ...(status.state === 'scheduled' ? indented(status.message) : []),
    ...trouble,
  ];
}

/** One operation as one line, for a pipe. */
export function changeLine(status: BulkStatus): string {
  const { updated_at, operation_id, state, total, remaining, failed } = status;
  return [
    updated_at,
    oneLine(operation_id),
    state,
    `${total - remaining}/${total}`,
    `${failed} failed`,
    oneLine(presentBulkStatus(status)),
  ].join('  ');
}

/** A job other than a bulk operation, as one line. */
export function otherLine(row: OtherRow): string {
  return [bold(oneLine(jobIdOf(row))), oneLine(jobTitle(row)), macroStateWord(row.state ?? 'starting')].join(
    '  ',
  );
}

/** A duration in its two largest units. */
export function about(ms: number): string {
  const seconds = Math.max(0, Math.round(ms / 1_000));
  if (seconds < 60) return `${seconds} s`;
  const minutes = Math.floor(seconds / 60);
  if (minutes < 60) return `${minutes} min ${seconds % 60} s`;
  const hours = Math.floor(minutes / 60);
  return hours < 24 ? `${hours} h ${minutes % 60} min` : `${Math.floor(hours / 24)} d ${hours % 24} h`;
}

function pace(watched: Watched, status: BulkStatus, remaining: number, now: number): string[] {
  const rate = itemsPerMinute(watched.pace, status, watched.progress, now);
  const remainingTime = workLeft(remaining, rate);
  return rate === undefined || remainingTime === undefined
    ? []
    : [`${Math.round(rate)} items/min`, `about ${about(remainingTime)} of work left`];
}

function waits({ updated_at, expires_at, message }: BulkStatus, now: number): string[] {
  const since = new Date(updated_at).toLocaleTimeString('en-GB');
  const expires = expires_at === undefined ? '' : `, expires in ${about(Date.parse(expires_at) - now)}`;
  const [sentence = '', ...below] = indented(message);
  return [`  ${warn(`waiting for you since ${since}${expires}`)}: ${sentence.trimStart()}`, ...below];
}

function indented(message: string): string[] {
  return visibleText(message)
    .split('\n')
    .map((line) => `  ${line}`);
}
