import type { Client } from '@temporalio/client';
import {
  cancelBulkOperation,
  completeBulkOperation,
  continueBulkOperation,
  extendBulkOperation,
  getBulkStatus,
  getReport,
  handleMessage,
  listBulkOperations,
  previewBulkOperation,
  resolveItem,
  retryFailedItems,
  startBulkOperation,
  undoBulkOperation,
  watchOperation,
} from './client';
import type {
  ListFilter,
  MessageContext,
  OperationRow,
  Report,
  StartOptions,
  Turn,
  UndoOptions,
} from './client';
import { TASK_QUEUE } from './contract/messages';
import type {
  CancelRequest,
  CompleteRequest,
  ContinueRequest,
  ExtendRequest,
  ResolveRequest,
} from './contract/messages';
import type { BulkOperationInput, BulkStatus, BulkTurn, OperationEvent } from './contract/operation';
import type { BulkPreview } from './contract/preview';
import type { CompletionGuardResult } from './contract/progress';
import type { EmbeddedWorker, startWorker as start, StartWorkerOptions } from './worker/start-worker';

/**
 * Bulk operations on one task queue, over your own Temporal client. Every method rejects with a `BatchgateError` (code,
 * message, hint) if the request is refused.
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

  /** @param options.taskQueue The queue of the workers; `batchgate` by default. */
  constructor({ client, taskQueue = TASK_QUEUE }: { client: Client; taskQueue?: string }) {
    this.#client = client;
    this.#taskQueue = taskQueue;
  }

  /** Shows the effect on each item. Changes nothing; `start` with its digest as `expect_digest` does exactly this. */
  preview(input: BulkOperationInput): Promise<BulkPreview> {
    return previewBulkOperation(this.#client, input, { task_queue: this.#taskQueue });
  }

  /** Plans an operation and waits for its first question. The same id and input again return the same operation. */
  start(input: BulkOperationInput, options: Omit<StartOptions, 'task_queue'> = {}): Promise<BulkStatus> {
    return startBulkOperation(this.#client, input, { ...options, task_queue: this.#taskQueue });
  }

  /**
   * Confirms the question that the person was shown, and waits until its batch has run. Without a digest or a batch,
   * it confirms the question that is open now, if that has been open for two seconds.
   */
  continue(operationId: string, request: ContinueRequest = {}): Promise<BulkTurn> {
    return continueBulkOperation(this.#client, operationId, request);
  }

  /** Cancels at once, or at the next item boundary of a running batch. */
  cancel(operationId: string, request: CancelRequest = {}): Promise<BulkTurn> {
    return cancelBulkOperation(this.#client, operationId, request);
  }

  /** Completes the operation. The result of a refusal has `allowed: false` and the reason. */
  complete(operationId: string, request: CompleteRequest = {}): Promise<CompletionGuardResult> {
    return completeBulkOperation(this.#client, operationId, request);
  }

  /** Gives the open question more time. */
  extend(operationId: string, request: ExtendRequest): Promise<BulkTurn> {
    return extendBulkOperation(this.#client, operationId, request);
  }

  /** Records the outcome of an item in doubt, also after the end of the operation. */
  resolve(operationId: string, request: ResolveRequest): Promise<BulkTurn> {
    return resolveItem(this.#client, operationId, request);
  }

  /** Starts an operation over the failed, retryable items of an ended one. */
  retryFailed(operationId: string): Promise<BulkStatus> {
    return retryFailedItems(this.#client, operationId);
  }

  /** Starts an operation that restores the items of an ended one. It asks before each batch, too. */
  undo(operationId: string, options: Omit<UndoOptions, 'task_queue'> = {}): Promise<BulkStatus> {
    return undoBulkOperation(this.#client, operationId, options);
  }

  status(operationId: string): Promise<BulkStatus> {
    return getBulkStatus(this.#client, operationId);
  }

  /** Live operations first, then ended ones, each group newest first. */
  list(filter: ListFilter = {}): Promise<OperationRow[]> {
    return listBulkOperations(this.#client, filter);
  }

  /** The changes of an operation's state, from its first to its last, or until `signal` is aborted. */
  async *watch(
    operationId: string,
    { signal = new AbortController().signal, after }: { signal?: AbortSignal; after?: OperationEvent } = {},
  ): AsyncGenerator<OperationEvent> {
    for await (const event of watchOperation(this.#client, operationId, signal, { after }))
      if (event !== 'caught_up') yield event;
  }

  /** What happened to each item, who confirmed it and when. */
  report(operationId: string): Promise<Report> {
    return getReport(this.#client, operationId);
  }

  /** One turn of conversation: a message of a person either decides the session's open question, or nothing. */
  say(sessionId: string, text: string, context: Omit<MessageContext, 'task_queue'> = {}): Promise<Turn> {
    return handleMessage(this.#client, sessionId, text, { ...context, task_queue: this.#taskQueue });
  }
}

/**
 * Starts a worker for these adapters, with its store, search attributes and hygiene schedule. Temporal's worker is only
 * loaded here, so that a project that only asks and decides does not need it.
 *
 * @example
 * const worker = await startWorker({ connection, adapters: [shelf] });
 * process.once('SIGTERM', () => worker.stop());
 * await worker.ended;
 */
export async function startWorker(options: StartWorkerOptions): Promise<EmbeddedWorker> {
  // eslint-disable-next-line @typescript-eslint/no-require-imports -- an `import()` here would not find it in tests, which run the sources
  const worker = require('./worker/start-worker') as { startWorker: typeof start };
  return worker.startWorker(options);
}
