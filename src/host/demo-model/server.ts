import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { isOwnRequest } from '../loopback';

/** A message of the protocol, with the fields that a script reads. */
export interface WireMessage {
  role: 'system' | 'user' | 'assistant' | 'tool';
  content?: string | null;
  tool_calls?: { id: string; function: { name: string; arguments: string } }[];
  /** For a result: the id of its call. */
  tool_call_id?: string;
}

/** The input of the script: the request of one step. */
export interface ScriptRequest {
  messages: WireMessage[];
  /** The names of the tools that the model is offered. */
  tools: string[];
}

/** The answer of the server: a text, tool calls, or a fault of a provider. */
export interface ScriptReply {
  text?: string;
  /** Text in `args` is sent unchanged, JSON or not. By default, each call has its own `id`. */
  calls?: { tool: string; args: object | string; id?: string }[];
  /** The status of a refusal, such as 429. */
  status?: number;
  retry_after?: number;
  /** Sent instead of events. */
  garbage?: string;
  /** The connection ends after this many events. */
  break_after?: number;
  /** The last event waits for this promise. */
  until?: Promise<unknown>;
}

export type Script = (request: ScriptRequest) => ScriptReply | Promise<ScriptReply>;

export interface ScriptedModel {
  /** The value for BATCHGATE_MODEL_BASE_URL. */
  url: string;
  close(): Promise<void>;
}

/** A server for OpenAI's chat completions protocol that answers by a script, on a port of this machine. */
export async function serveScriptedModel(script: Script): Promise<ScriptedModel> {
  const server = createServer((request, response) => {
    answer(script, request, response).catch((error: unknown) => {
      response.destroy(error instanceof Error ? error : undefined);
    });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}/v1`,
    async close() {
      const closed = once(server, 'close');
      server.close();
      server.closeAllConnections();
      await closed;
    },
  };
}

async function answer(script: Script, request: IncomingMessage, response: ServerResponse): Promise<void> {
  if (!isOwnRequest(request.headers)) {
    return void json(response, 403, {
      error: { message: 'not a request of this machine', type: 'scripted' },
    });
  }
  if (request.url?.endsWith('/models')) return void json(response, 200, { object: 'list', data: [] });
  const { messages, tools = [] } = await bodyOf(request);
  const reply = await script({ messages, tools: tools.map((tool) => tool.function.name) });
  if (reply.status !== undefined) {
    if (reply.retry_after !== undefined) response.setHeader('retry-after', String(reply.retry_after));
    return void json(response, reply.status, {
      error: { message: 'refused by the script', type: 'scripted' },
    });
  }
  response.writeHead(200, { 'content-type': 'text/event-stream' });
  if (reply.garbage !== undefined) return void response.end(reply.garbage);
  await stream(response, reply);
}

interface WireRequest {
  messages: WireMessage[];
  tools?: { function: { name: string } }[];
}

async function bodyOf(request: IncomingMessage): Promise<WireRequest> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  return JSON.parse(Buffer.concat(chunks).toString()) as WireRequest;
}

function json(response: ServerResponse, status: number, value: object): void {
  response.writeHead(status, { 'content-type': 'application/json' });
  response.end(JSON.stringify(value));
}

let answers = 0;

/** Streams text word by word and arguments in pieces, as providers do. */
async function stream(response: ServerResponse, reply: ScriptReply): Promise<void> {
  const id = `chatcmpl-${++answers}`;
  const deltas: object[] = [{ role: 'assistant', content: '' }];
  for (const word of (reply.text ?? '').match(/\S+\s*|\s+/g) ?? []) deltas.push({ content: word });
  for (const [index, { tool, args, id: own }] of (reply.calls ?? []).entries()) {
    const text = typeof args === 'string' ? args : JSON.stringify(args);
    const middle = Math.ceil(text.length / 2);
    const call = {
      index,
      id: own ?? `call-${answers}-${index}`,
      type: 'function',
      function: { name: tool, arguments: '' },
    };
    deltas.push({ tool_calls: [call] });
    for (const piece of [text.slice(0, middle), text.slice(middle)])
      deltas.push({ tool_calls: [{ index, function: { arguments: piece } }] });
  }
  const event = (value: object | string) =>
    response.write(`data: ${typeof value === 'string' ? value : JSON.stringify(value)}\n\n`);
  const chunk = { id, object: 'chat.completion.chunk', created: 0, model: 'scripted' };
  for (const [at, delta] of deltas.entries()) {
    if (reply.break_after === at) return void response.destroy();
    event({ ...chunk, choices: [{ index: 0, delta, finish_reason: null }] });
  }
  await reply.until;
  const finish_reason = reply.calls ? 'tool_calls' : 'stop';
  const usage = { prompt_tokens: 10, completion_tokens: deltas.length, total_tokens: 10 + deltas.length };
  event({ ...chunk, choices: [{ index: 0, delta: {}, finish_reason }] });
  event({ ...chunk, choices: [], usage });
  event('[DONE]');
  response.end();
}
