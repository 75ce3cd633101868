import type * as OpenAICompatible from '@ai-sdk/openai-compatible';
import type * as Ai from 'ai';
import type { Entry } from '../../src/contract/assistant';
import type { Json } from '../../src/contract/macro';
import { cutAt, storableJson } from '../../src/contract/text';
import { withClock } from '../../src/core/assistant/clock';
import { originalsOf } from '../../src/core/assistant/history';
import type { OfferedTool } from '../../src/core/assistant/prompt';
import { bytesOf, withinBytes } from '../../src/core/shared/bounds';
import { digestOf } from '../../src/core/shared/canonical';
import { inexactNumbers, readForeignJson } from '../../src/core/shared/json';
import type { ModelConfig } from '../../src/host/config';
import { optional } from '../../src/host/optional';
import { modelFailure } from '../macro/model';

interface ChatRequest {
  system: string;
  entries: readonly Entry[];
  tools: readonly OfferedTool[];
}

/** A received call, with exactly one of `args`, `unreadable` and `too_large`. */
interface WireCall {
  id: string;
  tool: string;
  args?: Record<string, Json>;
  /** The digest of arguments that are not a JSON object. */
  unreadable?: string;
  too_large?: true;
  /** The answer was cut, so the call may be incomplete. */
  cut?: true;
}

interface ChatAnswer {
  text: string;
  calls: WireCall[];
  used: { input: number; output: number };
}

/** A language model that streams and calls tools. */
export interface ChatModel {
  /** Runs one step, without retries: Temporal retries. `onText` receives the text so far. */
  answer(request: ChatRequest, signal: AbortSignal, onText?: (text: string) => void): Promise<ChatAnswer>;
}

/** Limits of a model's output. The rest is dropped, because the output is written into a history. */
const MAX_TEXT = 50_000;
const MAX_TEXT_BYTES = 150_000;
/** The limit of the ids and arguments of all calls of one answer. Ids are never cut: providers store data in them. */
const MAX_CALL_BYTES = 100_000;
const MAX_CALLS = 60;

/** Creates a client of the model at an OpenAI-compatible address. */
export function createChatModel({ baseUrl, name, apiKey }: ModelConfig): ChatModel {
  const { createOpenAICompatible } = optional<typeof OpenAICompatible>('@ai-sdk/openai-compatible');
  const { streamText, jsonSchema, tool } = optional<typeof Ai>('ai');
  const provider = createOpenAICompatible({
    ...{ name: 'model', baseURL: baseUrl, includeUsage: true },
    apiKey,
  });
  return {
    async answer({ system, entries, tools }, signal, onText) {
      const toolEntries = tools.map(({ name: toolName, description, args }) => [
        toolName,
        tool({ description, inputSchema: jsonSchema(args) }),
      ]);
      try {
        const { fullStream } = streamText({
          model: provider.chatModel(name),
          ...{ maxRetries: 0, abortSignal: signal, system, messages: messagesOf(entries) },
          tools: Object.fromEntries(toolEntries) as Ai.ToolSet,
          // A failure is thrown below.
          onError: () => undefined,
        });
        return await collect(fullStream, signal, onText);
      } catch (error) {
        signal.throwIfAborted();
        throw modelFailure(error, apiKey);
      }
    },
  };
}

/** Marks a text that is not the whole answer, for the person and for the model. */
const CUT_MARK = '\n[The answer was cut here: it is over the limit of an answer.]';

async function collect(
  stream: AsyncIterable<Ai.TextStreamPart<Ai.ToolSet>>,
  signal: AbortSignal,
  onText?: (text: string) => void,
): Promise<ChatAnswer> {
  const answer: ChatAnswer = { text: '', calls: [], used: { input: 0, output: 0 } };
  const inputs = new Map<string, string>();
  let finished = false;
  let isShortened = false;
  let ranOut = false;
  let room = MAX_CALL_BYTES;
  for await (const part of stream) {
    if (part.type === 'error') throw part.error;
    if (part.type === 'abort') signal.throwIfAborted();
    if (part.type === 'text-delta') {
      const text = answer.text + part.text;
      answer.text = cutAt(text, MAX_TEXT);
      isShortened ||= answer.text !== text;
      onText?.(answer.text);
    }
    if (part.type === 'tool-input-delta') inputs.set(part.id, (inputs.get(part.id) ?? '') + part.delta);
    if (part.type === 'tool-call' && answer.calls.length < MAX_CALLS && bytesOf(part.toolCallId) <= room) {
      const call = wireCall(exactCall(part, inputs.get(part.toolCallId)), room - bytesOf(part.toolCallId));
      room -= bytesOf(call.id) + bytesOf(call.args);
      answer.calls.push(call);
    }
    // Some providers give two calls of an answer the same id.
    if (part.type === 'tool-call') inputs.delete(part.toolCallId);
    if (part.type === 'finish') {
      finished = part.finishReason !== 'error';
      ranOut = part.finishReason === 'length';
      const { inputTokens = 0, outputTokens = 0 } = part.totalUsage;
      answer.used = { input: inputTokens, output: outputTokens };
    }
  }
  // An interrupted stream is not an answer: it may contain a part of a call.
  if (!finished) throw new Error('the stream broke off');
  const text = withinBytes(answer.text, MAX_TEXT_BYTES);
  const isWhole = !isShortened && !ranOut && text === answer.text;
  return {
    ...answer,
    text: isWhole || text === '' ? text : `${text}${CUT_MARK}`,
    calls: ranOut ? answer.calls.map((call) => ({ ...call, cut: true })) : answer.calls,
  };
}

type ToolCall = Record<'toolCallId' | 'toolName', string> & { input: unknown };

/** Returns the call with exact numbers: a number that a double cannot hold becomes a string, which the tool checks. */
function exactCall(call: ToolCall, text = ''): ToolCall {
  if (inexactNumbers(text).length === 0) return call;
  try {
    return { ...call, input: readForeignJson(text) };
  } catch {
    // Not JSON, so `wireCall` refuses it. The SDK's input has rounded numbers.
    return { ...call, input: text };
  }
}

function wireCall({ toolCallId: id, toolName: tool, input }: ToolCall, room: number): WireCall {
  if (bytesOf(input) > room) return { id, tool, too_large: true };
  const readable = input !== null && typeof input === 'object' && !Array.isArray(input);
  return readable
    ? { id, tool, args: input as Record<string, Json> }
    : { id, tool, unreadable: digestOf({ input }).slice(0, 32) };
}

/** Without halves of surrogate pairs, which a tool, a person or the model may have written, and strict providers refuse. */
const wellFormed = (messages: Ai.ModelMessage[]) => JSON.parse(storableJson(messages)) as Ai.ModelMessage[];

/** The entries in the provider's protocol. Providers refuse a message of the model without text and calls. */
const messagesOf = (entries: readonly Entry[]): Ai.ModelMessage[] =>
  wellFormed(entries.filter((entry) => !isEmpty(entry)).map(messageOf));

const isEmpty = (entry: Entry) =>
  entry.role === 'model' && entry.calls.length === 0 && entry.text.trim() === '';

function messageOf(entry: Entry): Ai.ModelMessage {
  switch (entry.role) {
    case 'person':
      return { role: 'user', content: withClock(entry.text, entry) };
    case 'notice':
      return { role: 'user', content: `[batchgate] ${withClock(entry.text, entry)}` };
    case 'summary':
      return {
        role: 'user',
        content: `[batchgate] The conversation so far, condensed; ${originalsOf(entry)}\n${entry.text}`,
      };
    case 'model': {
      const calls = entry.calls.map(({ id, tool, args }) => ({
        ...{ type: 'tool-call' as const, toolCallId: id, toolName: tool, input: args },
      }));
      const text = entry.text.trim() === '' ? [] : [{ type: 'text' as const, text: entry.text }];
      return { role: 'assistant', content: [...text, ...calls] };
    }
    case 'tool':
      return {
        role: 'tool',
        content: [
          {
            ...{ type: 'tool-result', toolCallId: entry.call_id, toolName: entry.tool },
            output: { type: 'json', value: entry.output },
          },
        ],
      };
  }
}
