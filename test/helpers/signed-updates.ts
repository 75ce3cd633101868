import type { Harness } from './harness';

/** An update as the history stores it, readable for every client of Temporal. */
export interface SeenUpdate {
  update: string;
  request: Record<string, unknown> & { proof?: string };
}

/** The signed decisions in the history of an operation's latest run, in order. */
export async function signedUpdates({ client }: Harness, operationId: string): Promise<SeenUpdate[]> {
  const { events } = await client.workflow.getHandle(operationId).fetchHistory();
  return (events ?? []).flatMap(({ workflowExecutionUpdateAcceptedEventAttributes: accepted }) => {
    const { name, args } = accepted?.acceptedRequest?.input ?? {};
    const data = args?.payloads?.[0]?.data;
    const request = data ? (JSON.parse(Buffer.from(data).toString()) as SeenUpdate['request']) : {};
    return request.proof === undefined ? [] : [{ update: name ?? '', request }];
  });
}
