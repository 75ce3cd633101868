import type { InputRequiredResult, McpServer, ServerContext } from '@modelcontextprotocol/server';
import { z } from 'zod';
import type { Caller } from '../../src/mcp/caller';
import type { Seal, Sealed } from '../../src/mcp/confirmation/seal';
import type { McpContext } from '../../src/mcp/context';
import { sdk } from '../../src/mcp/sdk';

/**
 * What the protocol's own suite calls on a server, each with the answer that its scenario expects. With these, the
 * scenarios run through batchgate's endpoint, handlers and streams.
 */
export function addFixtures(server: McpServer, { seal }: McpContext, caller: Caller): void {
  addTools(server);
  addResources(server);
  addPrompts(server);
  addQuestions(server);
  addRounds(server, seal, caller);
}

const description = 'A fixture of the suite.';

/** An image of one pixel, and an empty sound. */
const PNG =
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==';
const WAV = 'UklGRiQAAABXQVZFZm10IBAAAAABAAEAQB8AAEAfAAABAAgAZGF0YQAAAAA=';

const text = (said: string) => ({ type: 'text' as const, text: said });
const image = { type: 'image' as const, data: PNG, mimeType: 'image/png' };
const embedded = (uri: string) => ({
  type: 'resource' as const,
  resource: { uri, mimeType: 'text/plain', text: 'An embedded resource.' },
});

function addTools(server: McpServer): void {
  const answers = {
    test_simple_text: [text('A simple text.')],
    test_image_content: [image],
    test_audio_content: [{ type: 'audio' as const, data: WAV, mimeType: 'audio/wav' }],
    test_embedded_resource: [embedded('test://embedded-resource')],
    test_multiple_content_types: [text('Several.'), image, embedded('test://mixed-content-resource')],
  };
  for (const [name, content] of Object.entries(answers))
    server.registerTool(name, { description }, () => ({ content }));
  server.registerTool('test_error_handling', { description }, () => {
    throw new Error('This tool always fails.');
  });
  server.registerTool('test_tool_with_progress', { description }, async ({ mcpReq }: ServerContext) => {
    const progressToken = mcpReq._meta?.progressToken ?? 0;
    for (const progress of [0, 50, 100])
      await mcpReq.notify({
        method: 'notifications/progress',
        params: { progressToken, progress, total: 100 },
      });
    return { content: [text('Done.')] };
  });
  for (const name of ['test_tool_with_logging', 'test_logging_tool'])
    server.registerTool(name, { description }, async ({ mcpReq }: ServerContext) => {
      for (const step of ['started', 'at work', 'done']) await mcpReq.log('info', step);
      return { content: [text('Done.')] };
    });
}

function addResources(server: McpServer): void {
  const { ResourceTemplate } = sdk();
  server.registerResource('text', 'test://static-text', { mimeType: 'text/plain' }, ({ href }) => ({
    contents: [{ uri: href, mimeType: 'text/plain', text: 'A text.' }],
  }));
  server.registerResource('binary', 'test://static-binary', { mimeType: 'image/png' }, ({ href }) => ({
    contents: [{ uri: href, mimeType: 'image/png', blob: PNG }],
  }));
  const template = new ResourceTemplate('test://template/{id}/data', { list: undefined });
  server.registerResource('template', template, {}, ({ href }, { id }) => ({
    contents: [{ uri: href, mimeType: 'application/json', text: JSON.stringify({ id }) }],
  }));
}

function addPrompts(server: McpServer): void {
  const { completable } = sdk();
  const saying = (...contents: (ReturnType<typeof text> | typeof image | ReturnType<typeof embedded>)[]) => ({
    messages: contents.map((content) => ({ role: 'user' as const, content })),
  });
  server.registerPrompt('test_simple_prompt', { description }, () => saying(text('A simple prompt.')));
  server.registerPrompt('test_prompt_with_image', { description }, () => saying(image, text('Look at it.')));
  server.registerPrompt(
    'test_prompt_with_embedded_resource',
    { description, argsSchema: z.object({ resourceUri: z.string() }) },
    ({ resourceUri }) => saying(embedded(resourceUri), text('Read it.')),
  );
  const arg1 = completable(z.string(), (typed) =>
    ['testing', 'tested'].filter((one) => one.startsWith(typed)),
  );
  server.registerPrompt(
    'test_prompt_with_arguments',
    { description, argsSchema: z.object({ arg1, arg2: z.string() }) },
    (args) => saying(text(`With ${args.arg1} and ${args.arg2}`)),
  );
}

type InputRequests = NonNullable<InputRequiredResult['inputRequests']>;

const form = (property: string): InputRequests[string] => ({
  method: 'elicitation/create',
  params: {
    message: 'Which one?',
    requestedSchema: {
      type: 'object',
      properties: { [property]: { type: 'string' } },
      required: [property],
    },
  },
});
const sampling: InputRequests[string] = {
  method: 'sampling/createMessage',
  params: { messages: [{ role: 'user', content: text('Which capital?') }], maxTokens: 100 },
};

/** Each asks once, without a request state, and returns the answer that it received. */
function addQuestions(server: McpServer): void {
  const { inputRequired } = sdk();
  const questions: Record<string, InputRequests> = {
    test_input_required_result_elicitation: { user_name: form('name') },
    test_input_required_result_sampling: { capital_question: sampling },
    test_input_required_result_list_roots: { client_roots: { method: 'roots/list', params: {} } },
  };
  const answered = ({ mcpReq: { inputResponses } }: ServerContext, asked: InputRequests) => {
    const [key = ''] = Object.keys(asked);
    const response: unknown = inputResponses?.[key];
    return response === undefined ? undefined : text(JSON.stringify(response));
  };
  for (const [name, inputRequests] of Object.entries(questions))
    server.registerTool(name, { description }, (mcp: ServerContext) => {
      const answer = answered(mcp, inputRequests);
      return answer ? { content: [answer] } : inputRequired({ inputRequests });
    });
  const inputRequests = { user_context: form('context') };
  server.registerPrompt('test_input_required_result_prompt', { description }, (mcp: ServerContext) => {
    const answer = answered(mcp, inputRequests);
    return answer
      ? { messages: [{ role: 'user' as const, content: answer }] }
      : inputRequired({ inputRequests });
  });
}

/** Each asks in rounds, with a request state that batchgate's seal creates and opens. Its `batch` is the round. */
function addRounds(server: McpServer, seal: Seal, { id }: Caller): void {
  const tools: Record<string, InputRequests[]> = {
    test_input_required_result_request_state: [{ confirm: form('ok') }],
    test_input_required_result_tampered_state: [{ confirm: form('ok') }],
    test_input_required_result_multiple_inputs: [
      { user_name: form('name'), greeting: sampling, client_roots: { method: 'roots/list', params: {} } },
    ],
    test_input_required_result_multi_round: [{ step1: form('name') }, { step2: form('color') }],
  };
  for (const [name, rounds] of Object.entries(tools))
    server.registerTool(name, { description }, async (mcp: ServerContext) => {
      const { batch: asked = 0 } = mcp.mcpReq.requestState<Sealed>() ?? {};
      const missing = Object.keys(rounds[asked - 1] ?? {}).filter((key) => !mcp.mcpReq.inputResponses?.[key]);
      const next = missing.length > 0 ? asked - 1 : asked;
      const inputRequests = rounds[next];
      if (!inputRequests) return { content: [text('state-ok')] };
      const gate = { batch: next + 1, attempt: 1, digest: name };
      const requestState = await seal.close(gate, name, id, mcp);
      return sdk().inputRequired({ inputRequests, requestState });
    });
}
