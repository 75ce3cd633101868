import type { Client } from '@temporalio/client';

/** Every text in the history of the latest run of a workflow, payloads included. */
export async function readHistory(client: Client, workflowId: string): Promise<string> {
  const texts: string[] = [];
  const walk = (value: unknown): void => {
    if (value instanceof Uint8Array) texts.push(Buffer.from(value).toString());
    else if (typeof value === 'string') texts.push(value);
    else if (value !== null && typeof value === 'object') Object.values(value).forEach(walk);
  };
  walk(await client.workflow.getHandle(workflowId).fetchHistory());
  return texts.join('\n');
}
