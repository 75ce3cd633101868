// Receives webhooks of batchgate: checks the signature, and handles each message once while this process lives.
import { createServer } from 'node:http';
import { Webhook } from 'standardwebhooks';

/** A message of batchgate has at most 32 KB. */
const MAX_BODY_BYTES = 100_000;

/** `status` is the answer to a request that is refused with this error. */
export const refusal = (status, message) => Object.assign(new Error(message), { status });

export async function bodyOf(request) {
  const chunks = [];
  let bytes = 0;
  for await (const chunk of request) {
    bytes += chunk.length;
    if (bytes <= MAX_BODY_BYTES) chunks.push(chunk);
  }
  if (bytes > MAX_BODY_BYTES) throw refusal(413, `A body has more than ${MAX_BODY_BYTES} bytes.`);
  return Buffer.concat(chunks).toString();
}

/** A name as part of a line. Others chose it, and a line break or a terminal code in it could forge a line. */
export const nameText = (name) => name.replace(/[\p{C}\p{Zl}\p{Zp}]/gu, '\ufffd');

/** What a person reads: what would be done to each item, and the question. */
export const textFor = ({ message = '', next_batch }) =>
  [next_batch?.change.summary, message].filter(Boolean).join('\n');

/** `others`: what else this port answers, by path. The answer 500 makes batchgate send the message again. */
export function receive({ port, secret, handle, others = {} }) {
  const webhook = new Webhook(secret);
  const handled = new Set();
  const take = async (request) => {
    const body = await bodyOf(request);
    const message = webhook.verify(body, request.headers);
    const id = request.headers['webhook-id'];
    if (handled.has(id)) return;
    await handle(message);
    handled.add(id);
  };
  const server = createServer((request, response) => {
    const answer = others[request.url] ?? take;
    answer(request).then(
      () => response.writeHead(204).end(),
      (error) => {
        console.error(error.message);
        const status = error.name === 'WebhookVerificationError' ? 401 : (error.status ?? 500);
        response.writeHead(status).end();
      },
    );
  });
  server.listen(port, '127.0.0.1', () => console.log(`The receiver serves port ${server.address().port}`));
}

export async function post(url, body, headers = {}) {
  const response = await fetch(url, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...headers },
    body: JSON.stringify(body),
  });
  if (!response.ok) throw new Error(`${new URL(url).host} answered ${response.status}`);
  return response;
}
