import { randomUUID } from 'node:crypto';
import { z } from 'zod';
import { createChatModel } from '../../activities/assistant/model';
import { followTurn, getAssistant, sayInSession, type TurnEvent } from '../../src/client';
import type { BulkAdapter } from '../../src/contract/adapter';
import { BatchgateError } from '../../src/contract/errors';
import { defineTool, type ToolDefinition } from '../../src/contract/tools';
import type { TurnView } from '../../src/contract/assistant';
import {
  serveScriptedModel,
  type ScriptedModel,
  type ScriptReply,
  type ScriptRequest,
} from '../../src/host/demo-model/server';
import { countingTool, startHarness, type Harness, type HarnessOptions } from './harness';

export const SECRET = 'hunter2-the-secret';
/**
 * The tools of the test. `lookup` and `post` are unavailable and have fallbacks; each lookup is the fallback of the
 * other. `send_once` is not idempotent.
 */
export const calls: string[] = [];
export const lose = { next: false };
const tools = [
  defineTool({
    ...{ name: 'lookup', description: 'Looks something up', category: 'web', fallback: 'lookup_slowly' },
    ...{ read_only: true, idempotent: true, transactional: false },
    args: z.strictObject({ q: z.string() }),
    handler: () => Promise.reject(new Error('the index is down')),
  }),
  defineTool({
    ...{ name: 'lookup_slowly', description: 'Looks something up', category: 'archive', fallback: 'lookup' },
    ...{ read_only: true, idempotent: true, transactional: false },
    args: z.strictObject({ q: z.string() }),
    handler: ({ q }) => {
      calls.push(`lookup_slowly ${q}`);
      if (q === 'nothing') return Promise.reject(new Error('the archive is closed'));
      return Promise.resolve({ found: q === 'much' ? 'word '.repeat(2_000) : `about ${q}` });
    },
  }),
  defineTool({
    ...{ name: 'post', description: 'Sends something', category: 'web', fallback: 'send_once' },
    ...{ read_only: false, idempotent: false, transactional: false },
    args: z.strictObject({ to: z.string() }),
    handler: ({ to }) =>
      Promise.reject(
        to === 'bob'
          ? new Error('the connection broke')
          : new BatchgateError('ADAPTER_UNAVAILABLE', 'The gate is closed.', 'Try again later.'),
      ),
  }),
  defineTool({
    ...{ name: 'send_once', description: 'Sends something', category: 'web' },
    ...{ read_only: false, idempotent: false, transactional: false },
    args: z.strictObject({ to: z.string() }),
    handler: async ({ to }, { signal }) => {
      calls.push(`send_once ${to}`);
      if (lose.next) await new Promise((resolve) => signal.addEventListener('abort', resolve));
      return { sent: to };
    },
  }),
];

export let harness: Harness;
let model: ScriptedModel;
let script: (request: ScriptRequest) => ScriptReply | Promise<ScriptReply>;
export const requests: ScriptRequest[] = [];
export const tool = countingTool(25);

/** A harness whose model answers by each test's script, with further adapters, tools and options. */
export function useAssistantStage(
  further: () => Promise<BulkAdapter[]> = () => Promise.resolve([]),
  furtherTools: () => Promise<ToolDefinition[]> = () => Promise.resolve([]),
  more: () => Promise<Partial<HarnessOptions>> = () => Promise.resolve({}),
): void {
  beforeAll(async () => {
    tool.touched.clear();
    model = await serveScriptedModel((request) => {
      requests.push(request);
      return script(request);
    });
    const chatModel = createChatModel({ baseUrl: model.url, name: 'scripted', apiKey: 'key-of-the-model' });
    harness = await startHarness({
      ...{ adapters: [tool.adapter, ...(await further())], chatModel, secrets: [SECRET] },
      tools: [...tools, ...(await furtherTools())],
      ...(await more()),
    });
  });
  afterAll(async () => {
    await harness.close();
    await model.close();
  });
  beforeEach(() => {
    requests.length = 0;
    calls.length = 0;
    lose.next = false;
  });
}

/** Sets the script that answers all further requests. */
export const answering = (next: typeof script) => void (script = next);

/** Sets the replies to further requests, in order; the last one repeats. */
export function replies(...all: ScriptReply[]): void {
  let at = 0;
  script = () => all[Math.min(at++, all.length - 1)] ?? { text: 'nothing is left to say' };
}
export const choose = (...categories: string[]): ScriptReply => ({
  calls: [{ tool: 'choose_tools', args: { categories } }],
});
export const use = (name: string, args: object | string): ScriptReply => ({ calls: [{ tool: name, args }] });
export const start = use('start_bulk_operation', {
  domain: 'fake',
  action: 'mark',
  reason: 'You asked me to.',
  params: { group: 'all' },
  batch_size: 10,
});

export const options = () => ({ task_queue: harness.taskQueue });
export const say = (session: string, text: string, more: object = {}) =>
  sayInSession(harness.client, session, text, { ...options(), message_id: randomUUID(), ...more });

/** Sends a message, and waits for the end of its turn. */
export async function turnOf(session: string, text: string, more: object = {}): Promise<TurnView> {
  const receipt = await say(session, text, more);
  if (receipt.to !== 'assistant') throw new Error(`a question took it: ${receipt.turn.reply}`);
  return ended(session, receipt.number);
}
export async function ended(session: string, number: number, events: TurnEvent[] = []): Promise<TurnView> {
  for await (const event of followTurn(harness.client, session, number)) {
    events.push(event);
    if ('turn' in event) return event.turn;
  }
  const { state, error, turns } = await getAssistant(harness.client, session);
  throw new Error(`turn ${number} never ended: ${JSON.stringify({ state, error, turns })}`);
}
/** The last results of tools that the model received. */
export const told = () => JSON.stringify(requests.at(-1)?.messages.filter(({ role }) => role === 'tool'));
