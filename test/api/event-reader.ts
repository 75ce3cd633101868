import type { Client } from '@temporalio/client';

/** One server-sent event; `data` is parsed. */
export interface SeenEvent {
  id?: string;
  event: string;
  data: any;
}

export interface EventReader {
  seen: SeenEvent[];
  /** Resolves once the test holds for the events so far. */
  until: (test: (seen: SeenEvent[]) => boolean) => Promise<void>;
  leave: () => void;
  /** Resolves once the stream is over. */
  over: Promise<void>;
}

/** Reads a stream the way a browser does. */
export async function readEvents(
  url: string,
  headers: Record<string, string>,
  lastEventId?: string,
): Promise<EventReader> {
  const stop = new AbortController();
  const answer = await fetch(url, {
    headers: { ...headers, ...(lastEventId !== undefined && { 'last-event-id': lastEventId }) },
    signal: stop.signal,
  });
  expect([answer.status, answer.headers.get('content-type')]).toEqual([200, 'text/event-stream']);
  const seen: SeenEvent[] = [];
  const wake = new Set<() => void>();
  const read = async () => {
    let text = '';
    const decoder = new TextDecoder();
    for await (const chunk of answer.body ?? []) {
      text += decoder.decode(chunk as Uint8Array, { stream: true });
      const blocks = text.split('\n\n');
      text = blocks.pop() ?? '';
      for (const block of blocks) {
        const field = (name: string) => new RegExp(`^${name}: (.*)$`, 'm').exec(block)?.[1];
        const [id, event, data] = [field('id'), field('event'), field('data')];
        if (event === undefined || data === undefined) continue;
        seen.push({ ...(id !== undefined && { id }), event, data: JSON.parse(data) as unknown });
      }
      wake.forEach((look) => look());
    }
  };
  return {
    seen,
    over: read().catch(() => undefined),
    until: (test) =>
      new Promise<void>((resolve) => {
        const look = () => {
          if (!test(seen)) return;
          wake.delete(look);
          resolve();
        };
        wake.add(look);
        look();
      }),
    leave: () => stop.abort(),
  };
}

export async function deleteOperation(
  { workflowService, options }: Client,
  workflowId: string,
): Promise<void> {
  const { namespace } = options;
  await workflowService.deleteWorkflowExecution({ namespace, workflowExecution: { workflowId } });
}

/** Waits until Temporal does not have it any more. */
export async function untilGone(client: Client, workflowId: string): Promise<void> {
  const handle = client.workflow.getHandle(workflowId);
  const isThere = () =>
    handle.describe().then(
      () => true,
      () => false,
    );
  while (await isThere());
}
