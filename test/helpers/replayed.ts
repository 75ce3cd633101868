import { readFileSync } from 'node:fs';
import type { Client } from '@temporalio/client';
import type { DataConverter } from '@temporalio/common';
import { Worker } from '@temporalio/worker';
import { readable } from '../../src/client/readable';
import { historiesOf } from '../replay/stage';
import { testServer } from './harness';

/** The replay errors of these workflows; empty if all histories replay. */
export async function unreplayableOf(
  client: Client,
  ids: readonly string[],
  dataConverter?: DataConverter,
): Promise<Error[]> {
  const runs = await Promise.all(ids.map(async (id) => ({ id, histories: await historiesOf(client, id) })));
  const histories = runs.flatMap(({ id, histories: all }) =>
    all.map((history) => ({ workflowId: id, history })),
  );
  const errors: Error[] = [];
  const workflowBundle = { code: readFileSync(testServer().bundlePath, 'utf8') };
  // In a thread, like a worker: in this process, the SDK would also hook all promises of later tests.
  const code = { workflowBundle, dataConverter: readable(dataConverter), debugMode: false };
  for await (const { error } of Worker.runReplayHistories(code, histories)) if (error) errors.push(error);
  return errors;
}
