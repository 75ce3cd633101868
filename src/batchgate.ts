import type { Client } from '@temporalio/client';
import type { z } from 'zod';
import {
  cancelBulkOperation,
  completeBulkOperation,
  continueBulkOperation,
  delegateApproval,
  editBulkOperation,
  extendBulkOperation,
  getBulkGroups,
  getBulkStatus,
  getItemProof,
  getReport,
  handleMessage,
  listBulkOperations,
  operationStats,
  previewBulkOperation,
  resolveItem,
  retryFailedItems,
  reviseBulkOperation,
  startBulkOperation,
  undoBulkOperation,
  withdrawBulkOperation,
  watchOperation,
} from './client';
import type { BatchgateError } from './contract/errors';
import type { itemProofSchema } from './contract/item-proof';
import { TASK_QUEUE } from './contract/messages';
import type { BulkOperationInput, BulkStatus, BulkTurn, operationEventSchema } from './contract/operation';
import type { BulkPreview } from './contract/preview';
import type { CompletionGuardResult } from './contract/progress';
import type { reportSchema } from './contract/report';
import type { operationRowSchema } from './contract/rows';
import type { statsRowSchema } from './contract/stats';
import { macrosOf, taskRunsOf } from './other-jobs';
import type { startEmbeddedWorker } from './worker/start-worker';

/**
 * Bulk operations on one task queue, over your own Temporal client. Every method rejects with a `BatchgateError` (code,
 * message, hint) if the request is refused, and with `TEMPORAL_UNAVAILABLE` if no worker answers. Times in results are
 * ISO 8601.
 *
 * @example
 * const batchgate = new Batchgate({ client });
 * const { operation_id, next_batch } = await batchgate.start({ domain: 'gmail', action: 'label', params });
 * // Show next_batch to a person. When they agree, confirm exactly that:
 * const { number, attempt, digest } = next_batch;
 * await batchgate.continue(operation_id, { batch: number, attempt, digest, by: 'ana' });
 */
export class Batchgate {
  readonly #client: Client;
  readonly #taskQueue: string;
  /** Runs of macros, which are scripts of steps: start, trace, wait, pause, resume, cancel, answer. */
  readonly macros: ReturnType<typeof macrosOf>;
  /** Task runs, which count a repetitive task: start, record, complete, status, cancel. */
  readonly taskRuns: ReturnType<typeof taskRunsOf>;

  /** @param options.taskQueue The queue of the workers; `batchgate` by default. */
  constructor({ client, taskQueue = TASK_QUEUE }: { client: Client; taskQueue?: string }) {
    this.#client = client;
    this.#taskQueue = taskQueue;
    this.macros = macrosOf(client, taskQueue);
    this.taskRuns = taskRunsOf(client, taskQueue);
  }

  /**
   * Shows the effect on each item. Changes nothing; `start` with its digest as `expect_digest` does exactly this.
   * `wait_ms`: how long to wait for it, in milliseconds.
   */
  preview(
    input: BulkOperationInput,
    options: { wait_ms?: number; signal?: AbortSignal } = {},
  ): Promise<BulkPreview> {
    return previewBulkOperation(this.#client, input, { ...options, task_queue: this.#taskQueue });
  }

  /**
   * Plans an operation and waits for its first question. The same id and input again return the same operation; another
   * input under the same id is refused with `IDEMPOTENCY_CONFLICT`.
   */
  start(
    input: BulkOperationInput,
    options: {
      /** Default `bulk-<uuid>`. */
      operation_id?: string;
      /** How long to wait for the first question, in milliseconds. The operation continues. */
      wait_ms?: number;
      /** Ends the wait early. The operation continues. */
      signal?: AbortSignal;
    } = {},
  ): Promise<BulkStatus> {
    return startBulkOperation(this.#client, input, { ...options, task_queue: this.#taskQueue });
  }

  /**
   * Confirms the question that the person was shown, and waits until its batch has run. Without a digest or a batch,
   * it confirms the question that is open now, if that has been open for two seconds.
   */
  continue(
    operationId: string,
    request: {
      /** `number` of the `next_batch` that was shown. */
      batch?: number;
      attempt?: number;
      /** `digest` of the `next_batch` that was shown: exactly what is confirmed. */
      digest?: string;
      /** The same id again returns the first outcome, and runs nothing. */
      decision_id?: string;
      /** The person who confirms. */
      by?: string;
      note?: string;
      /** Items of this batch to leave out. */
      exclude?: { id: string; reason?: string }[];
      /** The batch begins at this time at the earliest: ISO 8601 with its offset. `withdraw` takes it back until then. */
      not_before?: string;
    } = {},
  ): Promise<BulkTurn> {
    return continueBulkOperation(this.#client, operationId, request);
  }

  /** Takes back the confirmation of a batch that begins later. Its question is open again, under a new attempt. */
  withdraw(
    operationId: string,
    request: {
      batch?: number;
      attempt?: number;
      digest?: string;
      decision_id?: string;
      by?: string;
      reason?: string;
    } = {},
  ): Promise<BulkTurn> {
    return withdrawBulkOperation(this.#client, operationId, request);
  }

  /** Lets another person approve in place of `by`, who is an approver of this operation, until that time. */
  delegate(
    operationId: string,
    request: { to: string; until: string; decision_id?: string; by?: string; note?: string },
  ): Promise<BulkTurn> {
    return delegateApproval(this.#client, operationId, request);
  }

  /** Cancels at once, or at the next item boundary of a running batch. */
  cancel(
    operationId: string,
    request: { decision_id?: string; by?: string; reason?: string } = {},
  ): Promise<BulkTurn> {
    return cancelBulkOperation(this.#client, operationId, request);
  }

  /**
   * Sends the open question back with guidance: the operation ends, and nothing more of it runs. The next start names
   * it in `revises`.
   */
  revise(
    operationId: string,
    request: {
      /** What to do instead. */
      note: string;
      batch?: number;
      attempt?: number;
      digest?: string;
      decision_id?: string;
      by?: string;
    },
  ): Promise<BulkTurn> {
    return reviseBulkOperation(this.#client, operationId, request);
  }

  /**
   * Completes the operation. The result of a refusal has `allowed: false` and the reason. `force` needs a `reason`.
   */
  complete(
    operationId: string,
    request: { force?: boolean; reason?: string; by?: string; stop_condition_satisfied?: boolean } = {},
  ): Promise<CompletionGuardResult> {
    return completeBulkOperation(this.#client, operationId, request);
  }

  /** Gives the open question more time; `expires_at` of the result is the new deadline. */
  extend(
    operationId: string,
    request: { seconds: number; decision_id?: string; by?: string },
  ): Promise<BulkTurn> {
    return extendBulkOperation(this.#client, operationId, request);
  }

  /**
   * Edits parameters of the change for all items without an outcome. They are planned anew, and the result has the new
   * question; nothing runs by an edit.
   */
  edit(
    operationId: string,
    request: {
      /** The new values, by parameter of the change. */
      change: Record<string, unknown>;
      /** The question that the person was shown, by its digest, or by its batch and attempt. */
      digest?: string;
      batch?: number;
      attempt?: number;
      decision_id?: string;
      by?: string;
      note?: string;
    },
  ): Promise<BulkTurn> {
    return editBulkOperation(this.#client, operationId, request);
  }

  /** Records the outcome of an item in doubt, also after the end of the operation. */
  resolve(
    operationId: string,
    request: { item_id: string; outcome: 'succeeded' | 'failed'; reason: string; by?: string },
  ): Promise<BulkTurn> {
    return resolveItem(this.#client, operationId, request);
  }

  /** Starts an operation over the failed, retryable items of an ended one. */
  retryFailed(
    operationId: string,
    options: {
      /** Why: the requester's words beside the question. By default those of the operation. */
      reason?: string;
      requested_by?: string;
    } = {},
  ): Promise<BulkStatus> {
    return retryFailedItems(this.#client, operationId, options);
  }

  /** Starts an operation that restores the items of an ended one. It asks before each batch, too. */
  undo(
    operationId: string,
    options: {
      /** Items to restore although somebody changed them afterwards. */
      overwrite?: 'all' | string[];
      batch_size?: number;
      /** Instead of `batch_size`: the sizes of batches that grow. */
      batch_sizes?: number[];
      session_id?: string;
      requested_by?: string;
      /** Why: the requester's words beside the question. */
      reason?: string;
      /** Cancels an operation that has not ended. */
      cancel_first?: boolean;
      /** Waits for the end of one that has not ended. */
      wait?: boolean;
    } = {},
  ): Promise<BulkStatus> {
    return undoBulkOperation(this.#client, operationId, options);
  }

  /** The current status, also after the end. `NOT_FOUND` if there is no such operation. */
  status(operationId: string): Promise<BulkStatus> {
    return getBulkStatus(this.#client, operationId);
  }

  /** All items of the plan by what happens to them, outliers first, each group with all of its items. `limit`: 100 by default. */
  groups(
    operationId: string,
    page: { offset?: number; limit?: number } = {},
  ): Promise<{ groups: NonNullable<BulkStatus['groups']>; total: number }> {
    return getBulkGroups(this.#client, operationId, page);
  }

  /** Live operations first, then ended ones, each group newest first. `limit`: 100 by default. */
  list(
    filter: {
      state?: BulkStatus['state'];
      session_id?: string;
      /** Only those that have not ended. */
      live?: boolean;
      /** Only those that ended since, ISO 8601. */
      closed_after?: string;
      offset?: number;
      limit?: number;
    } = {},
  ): Promise<z.infer<typeof operationRowSchema>[]> {
    return listBulkOperations(this.#client, filter);
  }

  /** The changes of an operation's state, from its first to its last, or until `signal` is aborted. */
  async *watch(
    operationId: string,
    {
      signal = new AbortController().signal,
      after,
    }: { signal?: AbortSignal; after?: z.infer<typeof operationEventSchema> } = {},
  ): AsyncGenerator<z.infer<typeof operationEventSchema>> {
    for await (const event of watchOperation(this.#client, operationId, signal, { after }))
      if (event !== 'caught_up') yield event;
  }

  /** What happened to each item, who confirmed it and when, and who resolved it and why. */
  report(operationId: string): Promise<z.infer<typeof reportSchema>> {
    return getReport(this.#client, operationId);
  }

  /**
   * Proves of one item what was confirmed of it, so that anybody can check it without the other items. `NOT_FOUND` if
   * nothing of it was confirmed.
   */
  proof(operationId: string, itemId: string): Promise<z.infer<typeof itemProofSchema>> {
    return getItemProof(this.#client, operationId, itemId);
  }

  /**
   * What became of operations and their questions, by domain and action, from the ledger. `since` and `until` are ISO
   * 8601: an operation counts if it was planned between them.
   */
  stats(
    filter: { domain?: string; action?: string; since?: string; until?: string } = {},
  ): Promise<z.infer<typeof statsRowSchema>[]> {
    return operationStats(this.#client, filter, this.#taskQueue);
  }

  /** One turn of conversation: a message of a person either decides the session's open question, or nothing. */
  say(
    sessionId: string,
    text: string,
    context: {
      /** The decision id: the same message delivered twice decides once. */
      message_id?: string;
      /** The question that the person was shown: `asked` of the turn before. Without it, a yes is a bare confirmation. */
      seen?: { batch?: number; attempt?: number; digest: string };
      /** The operation that the message is about; by default the session's live one. */
      operation_id?: string;
      by?: string;
      /** Their time zone, for “continue at 10 pm”: a name of the IANA database. By default that of this process. */
      zone?: string;
      /** False: the sender may only look and ask. A decision is refused with `FORBIDDEN`. */
      may_decide?: boolean;
    } = {},
  ): Promise<{
    /** False: the message is about something else, and nothing was done. */
    handled: boolean;
    intent: 'continue' | 'cancel' | 'unknown' | 'revise' | 'edit';
    /** What to show to the person. */
    reply: string;
    /** The question that `reply` asks. Pass it as `seen` with the next message. */
    asked?: { batch?: number; attempt?: number; digest: string };
    status?: BulkTurn | BulkStatus;
    /** Why the decision was refused; `reply` has the reason in words. */
    error?: BatchgateError['body'];
  }> {
    return handleMessage(this.#client, sessionId, text, { ...context, task_queue: this.#taskQueue });
  }
}

/**
 * Starts a worker for these adapters, with its store, search attributes and hygiene schedule. Temporal's worker is only
 * loaded here, so that a project that only asks and decides does not need it. Rejects with a `BatchgateError`:
 * `NOT_CONFIGURED` if the store cannot be opened or two adapters have the same name.
 *
 * @example
 * const worker = await startWorker({ connection, adapters: [shelf] });
 * process.once('SIGTERM', () => worker.stop());
 * await worker.ended;
 */
export const startWorker: typeof startEmbeddedWorker = (options) => {
  // eslint-disable-next-line @typescript-eslint/no-require-imports -- an `import()` here would not find it in tests, which run the sources
  const worker = require('./worker/start-worker') as { startEmbeddedWorker: typeof startEmbeddedWorker };
  return worker.startEmbeddedWorker(options);
};
