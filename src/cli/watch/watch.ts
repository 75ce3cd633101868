import { setTimeout as pause } from 'node:timers/promises';
import type { Client } from '@temporalio/client';
import type { Command } from 'commander';
import { createLogUpdate } from 'log-update';
import { BatchgateError } from '../../contract/errors';
import { isClosed } from '../../core/bulk/transitions';
import { redraws } from './bars';
import { isOver } from '../../core/assistant/session';
import { isEnded } from '../../core/macro/view';
import { oneLine, visibleText } from '../../core/shared/plain-text';
import { getJob, type JobStatus } from '../../client';
import { io } from '../io';
import { keepShown } from '../operation/shown-gate';
import { showJob } from '../operation/status';
import { withClient } from '../connect';
import { knownError, note, print, printJson } from '../output';
import { dim } from '../style';
import { verb } from '../verb';
import { changeLine, operationLines, otherLine } from './frame';
import { AT_MOST, isGone, Watcher, type Watched, type WatchEvents } from './watcher';

const TICK_MS = 1_000;
const ENDED_SHOWN = 3;
/** The lines of a waiting operation: its head, its bar, its change and its question, which may take two. */
const LINES_EACH = 5;

export function addWatchVerb(program: Command): void {
  verb(
    program,
    'watch [id]',
    'watch the live jobs, or one until it ends; press q or Ctrl-C to stop',
    async (json, id: string | undefined) => {
      const stopping = stopAsked();
      try {
        await withClient((client) => watch(client, json, id, stopping.signal));
      } finally {
        stopping.done();
      }
    },
  );
}

async function watch(
  client: Client,
  json: boolean,
  id: string | undefined,
  stop: AbortSignal,
): Promise<void> {
  if (id !== undefined && (await getJob(client, id)).kind !== 'bulk_operation')
    return watchOther(client, json, id, stop);
  const drawn = !json && redraws(io().stdout);
  const watcher = new Watcher(client, drawn ? silent : speaking(json, stop, id), id);
  const draw = createLogUpdate(io().stdout);
  const over = () =>
    id !== undefined &&
    watcher.operations.every(
      (operation) => (operation.status && isClosed(operation.status.state)) || isGone(operation),
    );
  for (let first = true; !stop.aborted; first = false) {
    // A slow look, for example without a worker, does not delay the picture of the others.
    const look = watcher.look(Date.now());
    await (first && id !== undefined ? Promise.race([look, ended(stop)]) : Promise.race([look, wait(stop)]));
    const [only] = watcher.operations;
    // The operation was never seen, so this error is not a temporary one.
    if (first && id !== undefined && only?.problem) throw only.problem;
    if (drawn) draw(frame(watcher, id, Date.now()));
    if (over()) break;
    await wait(stop);
  }
  if (drawn) draw.done();
  if (watcher.operations.some(isGone)) throw deleted(id ?? '');
}

const deleted = (id: string) =>
  new BatchgateError(
    'OPERATION_CLOSED',
    `${visibleText(id)} was deleted in Temporal.`,
    'What it did is in the ledger of its worker; its history is gone.',
  );

/** Prints a macro run or a task run at each change until it ends. */
async function watchOther(client: Client, json: boolean, id: string, stop: AbortSignal): Promise<void> {
  let printed = '';
  /** A worker or a server that is away for a moment is named once. */
  let isTroubled = false;
  while (!stop.aborted) {
    const job = await getJob(client, id).catch((error: unknown) => {
      const problem = knownError(error);
      if (printed === '' || problem.code !== 'TEMPORAL_UNAVAILABLE') throw problem;
      if (!isTroubled) note(errorText(problem));
    });
    isTroubled = job === undefined;
    if (job) {
      const { updated_at: _, ...status } = job.status;
      if (printed !== JSON.stringify(status)) showJob(job, json);
      printed = JSON.stringify(status);
      if (hasEnded(job)) return;
    }
    await wait(stop);
  }
}

function hasEnded({ kind, status }: JobStatus): boolean {
  if (kind === 'macro') return isEnded(status);
  if (kind === 'assistant') return isOver(status.state);
  return kind === 'task_run' && status.state !== 'running';
}

const silent: WatchEvents = {
  changed: () => undefined,
  changedOther: () => undefined,
  troubled: () => undefined,
};

/** Prints one line at each change, for a pipe. */
function speaking(json: boolean, stop: AbortSignal, only: string | undefined): WatchEvents {
  let wasSeen = only === undefined;
  return {
    changed: ({ status }) => {
      wasSeen = true;
      if (json) {
        keepShown(status, json);
        printJson(status);
      } else print(changeLine(status));
    },
    changedOther: (row) => {
      if (json) printJson(row);
      else print(otherLine(row));
    },
    troubled: (problem, operation) => {
      const name = operation ? `${oneLine(operation.operation_id)}: ` : '';
      // If the requested operation was never seen, this error ends the watch.
      if (wasSeen && !stop.aborted) note(name + errorText(problem));
    },
  };
}

function errorText({ code, message, hint }: BatchgateError): string {
  return `${code}: ${visibleText(message)} ${visibleText(hint)}`;
}

function frame(watcher: Watcher, id: string | undefined, now: number): string {
  const { operations } = watcher;
  const isOver = ({ status }: Watched) => status !== undefined && isClosed(status.state);
  const live = operations.filter((operation) => !isOver(operation));
  if (id !== undefined) return operations.flatMap((operation) => operationLines(operation, now)).join('\n');
  const room = Math.max(1, Math.floor(((io().stdout.rows ?? 24) - 2 * ENDED_SHOWN - 3) / LINES_EACH));
  const more = live.length - room;
  const { others } = watcher;
  const jobs = live.length + others.length;
  const head = jobs === 0 ? 'No live jobs.' : `${jobs} live job(s)`;
  return [
    `${head}  ${dim('press q or Ctrl-C to stop watching')}`,
    ...live.slice(0, room).flatMap((operation) => operationLines(operation, now)),
    ...others.slice(0, room).map(otherLine),
    ...(more > 0 ? [dim(`and ${more} more; \`batchgate list\` shows them`)] : []),
    ...operations
      .filter(isOver)
      .slice(-ENDED_SHOWN)
      .flatMap((operation) => operationLines(operation, now)),
    ...(live.length >= AT_MOST ? [dim(`the newest ${AT_MOST} are watched`)] : []),
    ...(watcher.problem ? [errorText(watcher.problem)] : []),
  ].join('\n');
}

function wait(stop: AbortSignal): Promise<void> {
  return pause(TICK_MS, undefined, { signal: stop }).catch(() => undefined);
}

function ended(stop: AbortSignal): Promise<void> {
  return new Promise((resolve) => stop.addEventListener('abort', () => resolve(), { once: true }));
}

/** Aborts at Ctrl-C, a termination signal, a `q` on the keyboard, or when the reader of the output is gone. */
function stopAsked(): { signal: AbortSignal; done: () => void } {
  const stop = new AbortController();
  const abort = () => stop.abort();
  const key = (input: Buffer) => {
    if (/[qQ\x03\x04]/.test(input.toString())) abort();
  };
  io().onInterrupt(abort);
  io().stdout.on('error', abort);
  const keyboard = io().stdin.isTTY && io().stdout.isTTY;
  if (keyboard) io().stdin.setRawMode(true).on('data', key);
  return {
    signal: stop.signal,
    done: () => {
      if (keyboard) io().stdin.setRawMode(false).off('data', key).pause();
    },
  };
}
