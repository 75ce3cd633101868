import { readdir, readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import type { WorkflowHandle } from '@temporalio/client';
import { Worker, type ReplayWorkerOptions } from '@temporalio/worker';
import { readable } from '../client/readable';
import { BatchgateError } from '../contract/errors';
import { packageFolder } from '../host/version';
import { workflowSource } from '../worker/bundling';

const CORPUS = join(packageFolder() ?? '', 'test/replay/histories');

/**
 * Replays every history of a directory against workflow code, in the order of the file names. Default: the code of this
 * package. Use it to test your own data converter and interceptors, or an upgrade, with your own histories. In the
 * result, `error` is present if the workflow code would not have written this history.
 * @throws BatchgateError `INVALID_INPUT` if the directory contains no history, or a file that is not one.
 *
 * @example
 * const replayed = await replayHistories({ directory: 'histories' });
 * for (const { file, error } of replayed) if (error) console.error(file, error.message);
 */
export async function replayHistories(
  options: Pick<ReplayWorkerOptions, 'workflowBundle' | 'workflowsPath' | 'dataConverter'> & {
    /**
     * A directory of histories, one JSON file per run, in the format of Temporal's command line and UI. Default: the
     * recorded histories of this package, at least one for each path of its workflows.
     */
    directory?: string;
  } = {},
): Promise<{ file: string; error?: Error }[]> {
  const { directory = CORPUS, ...workerOptions } = options;
  const workflowCode = workerOptions.workflowBundle ?? workerOptions.workflowsPath;
  const code = {
    ...(workflowCode === undefined && workflowSource()),
    ...workerOptions,
    dataConverter: readable(workerOptions.dataConverter),
  };
  const files = (await readdir(directory)).filter((file) => file.endsWith('.json')).sort();
  if (files.length === 0) {
    throw new BatchgateError(
      'INVALID_INPUT',
      `No histories in ${directory}.`,
      'Record some as JSON, one file a run.',
    );
  }
  const histories = new Map<string, { file: string; workflowId: string; history: History }>();
  for (const file of files) {
    const recording = await readHistory(directory, file);
    histories.set(recording.runId, { file, ...recording });
  }
  const errors = new Map<string, Error>();
  for await (const { runId, error } of Worker.runReplayHistories(code, histories.values())) {
    if (error) errors.set(histories.get(runId)?.file ?? runId, error);
  }
  return files.map((file) => {
    const error = errors.get(file);
    return error ? { file, error } : { file };
  });
}

async function readHistory(
  directory: string,
  file: string,
): Promise<{ runId: string; workflowId: string; history: History }> {
  try {
    const history = historyFromJson(JSON.parse(await readFile(join(directory, file), 'utf8')));
    const started = history.events?.[0]?.workflowExecutionStartedEventAttributes;
    const { originalExecutionRunId: runId, workflowId } = started ?? {};
    if (!runId || !workflowId) throw new Error('it does not begin with the start of a workflow');
    return { runId, workflowId, history };
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    throw new BatchgateError('INVALID_INPUT', `${file} is no history: ${reason}`, 'Record it again.');
  }
}

/** A workflow's history: the result of `WorkflowHandle.fetchHistory`, and the input of a replay. */
export type History = Awaited<ReturnType<WorkflowHandle['fetchHistory']>>;

interface ProtoJson {
  fromJson(type: unknown, json: unknown, options: { ignoreUnknownFields: boolean }): History;
  toJson(type: unknown, message: History): unknown;
}

/**
 * Converts histories from and to JSON with the copy of protobufjs that created the message types. The SDK's own
 * `historyFromJSON` uses the copy next to `@temporalio/common`, and refuses every type ("type must be a Type") if npm
 * installs several copies, as when `@grpc/proto-loader`'s older one comes first (1.24.0, npm 11).
 */
function protoJson(): { convert: ProtoJson; type: unknown } {
  const ofCommon = createRequire(require.resolve('@temporalio/common'));
  const ofProto = createRequire(ofCommon.resolve('@temporalio/proto'));
  const messages = ofCommon('@temporalio/proto') as { lookupType(name: string): unknown };
  const convert = ofProto('protobufjs/ext/protojson') as ProtoJson;
  return { convert, type: messages.lookupType('temporal.api.history.v1.History') };
}

/** Parses the JSON of a history that Temporal's command line or UI wrote. */
function historyFromJson(json: unknown): History {
  const { convert, type } = protoJson();
  return convert.fromJson(type, json, { ignoreUnknownFields: true });
}

/** Returns a history as the JSON that Temporal's command line and UI write. */
export function historyToJson(history: History): unknown {
  const { convert, type } = protoJson();
  return convert.toJson(type, history);
}
