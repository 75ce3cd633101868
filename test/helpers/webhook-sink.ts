import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Webhook } from 'standardwebhooks';
import { webhookMessageSchema, type WebhookMessage } from '../../src/contract/webhooks';
import type { WebhookConfig } from '../../src/host/config-file';

/** A request to a receiver, with a verified signature. */
interface Received {
  id: string;
  message: WebhookMessage;
  path: string;
  signature: string;
  timestamp: string;
  body: string;
  /** The time of arrival, in milliseconds. */
  at: number;
}

export interface WebhookSink {
  url: string;
  received: Received[];
  /** The statuses of the next answers, by operation, and by '' for tests; then 204. 0 means no answer. */
  answers: Map<string, number[]>;
  /** The `Retry-After` header of an answer of 429 or 503. */
  retryAfter?: string;
  /** The messages about an operation, each once. */
  told(operation_id: string): WebhookMessage[];
  until(test: (received: Received[]) => boolean): Promise<void>;
  close(): Promise<void>;
}

export const SECRET = `whsec_${Buffer.from('a secret of thirty-two bytes 123').toString('base64')}`;

/** A receiver of webhooks on this machine. */
export async function startSink(): Promise<WebhookSink> {
  const received: Received[] = [];
  const answers = new Map<string, number[]>();
  const wake = new Set<() => void>();
  const server = createServer((request, response) => {
    void (async () => {
      const chunks: Buffer[] = [];
      for await (const chunk of request) chunks.push(chunk as Buffer);
      const headers = request.headers as Record<string, string>;
      const body = Buffer.concat(chunks).toString();
      const message = webhookMessageSchema.parse(new Webhook(SECRET).verify(body, headers));
      received.push({
        ...{ id: headers['webhook-id'] ?? '', message, path: request.url ?? '', at: Date.now(), body },
        signature: headers['webhook-signature'] ?? '',
        timestamp: headers['webhook-timestamp'] ?? '',
      });
      const status = answers.get(message.data.operation_id ?? '')?.shift() ?? 204;
      if (status > 0) response.writeHead(status, headersOf(status, sink.retryAfter)).end();
      wake.forEach((look) => look());
    })().catch(() => response.writeHead(400).end());
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const sink: WebhookSink = {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/hook`,
    received,
    answers,
    told: (operation_id) => {
      const mine = received.filter(({ message }) => message.data.operation_id === operation_id);
      return mine
        .filter((one, at) => mine.findIndex((other) => other.id === one.id) === at)
        .map(({ message }) => message);
    },
    until: (test) =>
      new Promise((resolve) => {
        const look = () => {
          if (!test(received)) return;
          wake.delete(look);
          resolve();
        };
        wake.add(look);
        look();
      }),
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
  return sink;
}

const headersOf = (status: number, after: string | undefined) => ({
  location: '/elsewhere',
  ...((status === 429 || status === 503) && after !== undefined && { 'retry-after': after }),
});

/** The configuration of a webhook to a sink, whose secret is in the variable HOOK_SECRET. */
export const hookTo = (url: string, more: Partial<WebhookConfig> = {}): WebhookConfig => ({
  name: 'chat',
  url,
  secret: { env: 'HOOK_SECRET' },
  allow_private: true,
  ...more,
});
