import { createRequire } from 'node:module';
import type { WorkflowHandle } from '@temporalio/client';

/** A workflow's history, as `WorkflowHandle.fetchHistory` gives it and the worker replays it. */
export type History = Awaited<ReturnType<WorkflowHandle['fetchHistory']>>;

interface ProtoJson {
  fromJson(type: unknown, json: unknown, options: { ignoreUnknownFields: boolean }): History;
  toJson(type: unknown, message: History): unknown;
}

/**
 * The JSON form of histories by the protobufjs that the message types themselves are made with. The SDK's own
 * `historyFromJSON` takes the copy beside `@temporalio/common`, and refuses every type ("type must be a Type") where
 * npm installs several copies, as it does when `@grpc/proto-loader`'s older one comes first (1.24.0, npm 11).
 */
function protoJson(): { convert: ProtoJson; type: unknown } {
  const ofCommon = createRequire(require.resolve('@temporalio/common'));
  const ofProto = createRequire(ofCommon.resolve('@temporalio/proto'));
  const messages = ofCommon('@temporalio/proto') as { lookupType(name: string): unknown };
  const convert = ofProto('protobufjs/ext/protojson') as ProtoJson;
  return { convert, type: messages.lookupType('temporal.api.history.v1.History') };
}

/** A history from the JSON that Temporal's command line and UI write. */
export function historyFromJson(json: unknown): History {
  const { convert, type } = protoJson();
  return convert.fromJson(type, json, { ignoreUnknownFields: true });
}

/** A history as the JSON that Temporal's command line and UI write. */
export function historyToJson(history: History): unknown {
  const { convert, type } = protoJson();
  return convert.toJson(type, history);
}
