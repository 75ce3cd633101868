import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { createChatModel, type ChatModel } from '../../activities/assistant/model';
import type { Entry } from '../../src/contract/assistant';

const KEY = 'key-of-the-model';

/** Asks a model that answers with these chunks. Returns its answer, and the text of the request that it received. */
export async function askModel(
  entries: Entry[],
  chunks: object[],
): Promise<{ answer: Awaited<ReturnType<ChatModel['answer']>>; sent: string }> {
  let sent = '';
  const server = createServer((request, answer) => {
    void text(request).then((body) => {
      sent = body;
      answer.writeHead(200, { 'content-type': 'text/event-stream' });
      const shared = { id: 'a', object: 'chat.completion.chunk', created: 1, model: 'm' };
      answer.end(
        [...chunks.map((one) => JSON.stringify({ ...shared, ...one })), '[DONE]'].map(event).join(''),
      );
    });
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  const model = createChatModel({ baseUrl: `http://127.0.0.1:${port}`, name: 'm', apiKey: KEY });
  const tools = [{ name: 'save', description: 'Saves', args: { type: 'object' } }];
  try {
    const answer = await model.answer({ system: '', entries, tools }, AbortSignal.timeout(30_000));
    return { answer, sent };
  } finally {
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  }
}

const event = (data: string) => `data: ${data}\n\n`;
