import { WorkflowClient, type Client, type WorkflowExecutionInfo } from '@temporalio/client';
import { readable } from './readable';

const PAGE = 1_000;

/** Quotes a text for the query of a list. A backslash is an escape character; a text with one matches nothing. */
export const quoted = (text: string): string => `'${text.replaceAll('\\', '\\\\').replaceAll("'", "''")}'`;

/**
 * Lists the matching runs in the server's order, about `limit` of them. A memo that cannot be decoded does not fail the
 * list.
 */
export function listRuns(client: Client, query: string, limit: number): AsyncIterable<WorkflowExecutionInfo> {
  const { namespace, identity, loadedDataConverter } = client.options;
  const dataConverter = readable({ payloadCodecs: loadedDataConverter.payloadCodecs });
  return new WorkflowClient({ connection: client.connection, namespace, identity, dataConverter }).list({
    query,
    pageSize: Math.min(limit, PAGE),
  });
}

/** Returns the ids of these runs, each once. */
export async function runIds(client: Client, query: string, limit = Infinity): Promise<string[]> {
  const ids = new Set<string>();
  for await (const { workflowId } of listRuns(client, query, limit)) {
    ids.add(workflowId);
    if (ids.size >= limit) break;
  }
  return [...ids];
}
