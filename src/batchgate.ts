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
  /** Macro runs. A macro is a script of steps. Methods: start, trace, wait, pause, resume, cancel, answer. */
  readonly macros: ReturnType<typeof macrosOf>;
  /** Task runs, which track a repetitive task. Methods: start, record, complete, status, cancel. */
  readonly taskRuns: ReturnType<typeof taskRunsOf>;

  /** @param options.taskQueue The queue of the workers; `batchgate` by default. */
  constructor({ client, taskQueue = TASK_QUEUE }: { client: Client; taskQueue?: string }) {
    this.#client = client;
    this.#taskQueue = taskQueue;
    this.macros = macrosOf(client, taskQueue);
    this.taskRuns = taskRunsOf(client, taskQueue);
  }

  /**
   * Returns the effect on each item, and changes nothing. To run exactly this preview, pass its digest to `start` as
   * `expect_digest`. `wait_ms` is the maximum wait, in milliseconds.
   */
  preview(
    input: BulkOperationInput,
    options: { wait_ms?: number; signal?: AbortSignal } = {},
  ): Promise<BulkPreview> {
    return previewBulkOperation(this.#client, input, { ...options, task_queue: this.#taskQueue });
  }

  /**
   * Plans an operation and waits for its first question. A repeated call with the same id and input returns the same
   * operation. A different input under the same id is refused with `IDEMPOTENCY_CONFLICT`.
   */
  start(
    input: BulkOperationInput,
    options: {
      /** Default `bulk-<uuid>`. */
      operation_id?: string;
      /** The maximum wait for the first question, in milliseconds. The operation continues after it. */
      wait_ms?: number;
      /** Ends the wait early. The operation continues. */
      signal?: AbortSignal;
    } = {},
  ): Promise<BulkStatus> {
    return startBulkOperation(this.#client, input, { ...options, task_queue: this.#taskQueue });
  }

  /**
   * Confirms the question that the person was shown, and waits until its batch has run. Without a digest or a batch, it
   * confirms the open question, if that question has been open for at least two seconds.
   */
  continue(
    operationId: string,
    request: {
      /** The `number` of the `next_batch` that was shown. */
      batch?: number;
      attempt?: number;
      /** The `digest` of the `next_batch` that was shown. It identifies exactly what is confirmed. */
      digest?: string;
      /** A repeated id returns the first outcome and runs nothing. */
      decision_id?: string;
      /** The person who confirms. */
      by?: string;
      note?: string;
      /** Items of this batch to leave out. */
      exclude?: { id: string; reason?: string }[];
      /** The earliest start of the batch: ISO 8601 with an offset. Until then, the confirmation can be withdrawn. */
      not_before?: string;
    } = {},
  ): Promise<BulkTurn> {
    return continueBulkOperation(this.#client, operationId, request);
  }

  /** Withdraws the confirmation of a batch that has not begun. Its question opens again, under a new attempt. */
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

  /** Lets another person approve in place of `by`, an approver of this operation, until the time `until`. */
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
   * Sends the open question back with guidance. The operation ends, and none of its remaining items run. To replace it,
   * start another operation with this id in `revises`.
   */
  revise(
    operationId: string,
    request: {
      /** Guidance for the next operation. */
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
   * Completes the operation. If it cannot be completed, the result has `allowed: false` and the reason. `force` needs a
   * `reason`.
   */
  complete(
    operationId: string,
    request: { force?: boolean; reason?: string; by?: string; stop_condition_satisfied?: boolean } = {},
  ): Promise<CompletionGuardResult> {
    return completeBulkOperation(this.#client, operationId, request);
  }

  /** Extends the deadline of the open question. The result has the new deadline in `expires_at`. */
  extend(
    operationId: string,
    request: { seconds: number; decision_id?: string; by?: string },
  ): Promise<BulkTurn> {
    return extendBulkOperation(this.#client, operationId, request);
  }

  /**
   * Edits parameters of the change for all items without an outcome. The items are planned again, and the result has
   * the new question. An edit runs nothing.
   */
  edit(
    operationId: string,
    request: {
      /** The new values, by parameter name. */
      change: Record<string, unknown>;
      /** The digest of the question that the person was shown. Alternatively, its batch and attempt. */
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

  /** Records the outcome of an item in doubt, even after the operation has ended. */
  resolve(
    operationId: string,
    request: { item_id: string; outcome: 'succeeded' | 'failed'; reason: string; by?: string },
  ): Promise<BulkTurn> {
    return resolveItem(this.#client, operationId, request);
  }

  /** Starts an operation over the failed, retryable items of an operation that has ended. */
  retryFailed(
    operationId: string,
    options: {
      /** The requester's reason, shown beside the question. Default: the reason of the original operation. */
      reason?: string;
      /** Applies with a reason, or if the original operation has no requester. */
      requested_by?: string;
    } = {},
  ): Promise<BulkStatus> {
    return retryFailedItems(this.#client, operationId, options);
  }

  /** Starts an operation that restores the items of an operation that has ended. It also asks before each batch. */
  undo(
    operationId: string,
    options: {
      /** Items to restore even if they were changed afterwards. */
      overwrite?: 'all' | string[];
      batch_size?: number;
      /** The sizes of growing batches, in place of `batch_size`. */
      batch_sizes?: number[];
      session_id?: string;
      requested_by?: string;
      /** The requester's reason, shown beside the question. */
      reason?: string;
      /** Cancels the original operation first if it has not ended. */
      cancel_first?: boolean;
      /** Waits for the original operation to end. */
      wait?: boolean;
    } = {},
  ): Promise<BulkStatus> {
    return undoBulkOperation(this.#client, operationId, options);
  }

  /** Returns the current status, even after the operation has ended. `NOT_FOUND` if there is no such operation. */
  status(operationId: string): Promise<BulkStatus> {
    return getBulkStatus(this.#client, operationId);
  }

  /** Returns all items of the plan grouped by effect, outliers first. `limit` is the number of groups; default: 100. */
  groups(
    operationId: string,
    page: { offset?: number; limit?: number } = {},
  ): Promise<{ groups: NonNullable<BulkStatus['groups']>; total: number }> {
    return getBulkGroups(this.#client, operationId, page);
  }

  /** Lists live operations first, then ended ones, each newest first. `limit` defaults to 100. */
  list(
    filter: {
      state?: BulkStatus['state'];
      session_id?: string;
      /** Only operations that have not ended. */
      live?: boolean;
      /** Only operations that ended after this time (ISO 8601). */
      closed_after?: string;
      offset?: number;
      limit?: number;
    } = {},
  ): Promise<z.infer<typeof operationRowSchema>[]> {
    return listBulkOperations(this.#client, filter);
  }

  /** Yields the changes of an operation's state, from the first to the last, or until `signal` is aborted. */
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

  /** Returns the outcome of each item, who confirmed it and when, and who resolved it and why. */
  report(operationId: string): Promise<z.infer<typeof reportSchema>> {
    return getReport(this.#client, operationId);
  }

  /**
   * Returns a proof of what was confirmed about one item. Anyone can verify it without the other items. `NOT_FOUND` if
   * nothing was confirmed about the item.
   */
  proof(operationId: string, itemId: string): Promise<z.infer<typeof itemProofSchema>> {
    return getItemProof(this.#client, operationId, itemId);
  }

  /**
   * Returns statistics from the ledger on operations and their questions, by domain and action. `since` and `until` are
   * ISO 8601; an operation counts if it was planned between them.
   */
  stats(
    filter: { domain?: string; action?: string; since?: string; until?: string } = {},
  ): Promise<z.infer<typeof statsRowSchema>[]> {
    return operationStats(this.#client, filter, this.#taskQueue);
  }

  /** Handles one message of a conversation. A message either decides the session's open question or decides nothing. */
  say(
    sessionId: string,
    text: string,
    context: {
      /** The decision id. A message that is delivered twice decides once. */
      message_id?: string;
      /**
       * The question that the person was shown: `asked` of the previous result. Otherwise a yes is a bare confirmation.
       */
      seen?: { batch?: number; attempt?: number; digest: string };
      /** The operation that the message is about. Default: the live operation of the session. */
      operation_id?: string;
      by?: string;
      /** The sender's IANA time zone, for “continue at 10 pm”. Default: the zone of this process. */
      zone?: string;
      /** If false, the sender may only read and ask, and a decision is refused with `FORBIDDEN`. */
      may_decide?: boolean;
    } = {},
  ): Promise<{
    /** False if the message is about something else. Then nothing was done. */
    handled: boolean;
    intent: 'continue' | 'cancel' | 'unknown' | 'revise' | 'edit';
    /** The text to show to the person. */
    reply: string;
    /** The question in `reply`. Pass it as `seen` with the next message. */
    asked?: { batch?: number; attempt?: number; digest: string };
    status?: BulkTurn | BulkStatus;
    /** The error, if the decision was refused. `reply` has the reason in words. */
    error?: BatchgateError['body'];
  }> {
    return handleMessage(this.#client, sessionId, text, { ...context, task_queue: this.#taskQueue });
  }
}

/**
 * Starts a worker for these adapters, with its store, search attributes and hygiene schedule. The first call loads
 * Temporal's worker package, so projects that only ask and decide do not need it. Rejects with a `BatchgateError`:
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
