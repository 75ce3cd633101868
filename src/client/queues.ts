import type { Client } from '@temporalio/client';
import { TASK_QUEUE } from '../contract/messages';

const queues = new WeakMap<Client, string>();

/** Temporal forgets the queue of a workflow that it deleted, and only the workers of that queue have its ledger. */
export const rememberQueue = (client: Client, taskQueue: string): void => void queues.set(client, taskQueue);

/** The queue whose workers a client asks about deleted operations. */
export const queueOf = (client: Client): string => queues.get(client) ?? TASK_QUEUE;
