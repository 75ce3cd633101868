import { createHttpRequestTool } from '../../activities/tools/http-request';
import { unlimited } from '../../activities/adapters/shared/allowance';
import type { ROLES } from '../../src/contract/access';
import { cancelTaskRun, getTaskRun, startTaskRun } from '../../src/client';
import { mayHaveCalled } from '../../src/core/access/permissions';
import { createSecrets } from '../../src/host/secrets';
import { createTools, describeTools } from '../../src/worker/tools';
import { SECRET, startServer } from '../adapters/http-setup';
import {
  choose,
  ended,
  harness,
  options,
  replies,
  requests,
  told,
  turnOf,
  use,
  useAssistantStage,
} from '../helpers/assistant-stage';
import { startHttpApi, type HttpApi } from '../helpers/http-api';

let http: HttpApi;
let server: Awaited<ReturnType<typeof startServer>>;

useAssistantStage(
  () => Promise.resolve([]),
  async () => {
    server = await startServer();
    const secrets = createSecrets({ secrets: { token: { env: 'TOKEN' } }, folder: '/' }, { TOKEN: SECRET });
    return [createHttpRequestTool({ allowed_hosts: [server.host], allowance: unlimited, secrets })];
  },
);
beforeAll(async () => {
  http = await startHttpApi(harness, { hasModel: true });
});
afterAll(async () => {
  await http?.close();
  await server?.close();
});
beforeEach(() => server.reset());

/** One turn of the assistant over HTTP, for a caller with this key. */
async function turnFor(key: string, session: string, text = 'do it') {
  const path = `/v1/sessions/${session}/messages`;
  const { body } = await http.ask('POST', path, { key, body: { text, assistant: true } });
  return ended(session, body.assistant.turn);
}

const send = (method: string) =>
  use('http_request', {
    method,
    url: `${server.url}/orders/7`,
    headers: { Authorization: { secret: 'token', prefix: 'Bearer ' } },
  });
/** The tools that the model was offered in its last request. */
const offered = () => requests.at(-1)?.tools ?? [];

it('sends no request for an agent, with or without a secret, whatever the method', async () => {
  const key = await http.key('agent');
  for (const method of ['DELETE', 'POST', 'GET']) {
    replies(choose('http'), send(method), { text: 'done' });
    const { calls } = await turnFor(key, 'agent-requests');
    expect(calls).toMatchObject([{ tool: 'http_request', state: 'failed' }]);
    expect(told()).toContain('not called for the role agent');
    expect(offered()).not.toContain('http_request');
  }
  expect(server.received).toEqual([]);
});

it('reads for an operator, and leaves every change to a person', async () => {
  server.answer = (_, response) => void response.writeHead(200).end('seven');
  const key = await http.key('operator');
  for (const method of ['GET', 'HEAD']) {
    replies(choose('http'), send(method), { text: 'done' });
    expect((await turnFor(key, 'operator-reads')).calls).toMatchObject([{ state: 'done' }]);
  }
  expect(server.received.map(({ method }) => method)).toEqual(['GET', 'HEAD']);
  for (const method of ['POST', 'PUT', 'PATCH', 'DELETE']) {
    replies(choose('http'), send(method), { text: 'done' });
    expect((await turnFor(key, 'operator-changes')).calls).toMatchObject([{ state: 'failed' }]);
    expect(told()).toContain('Propose it with propose_macro, or start a bulk operation');
  }
  // Neither does it for a person at a terminal, who has no role.
  replies(choose('http'), send('DELETE'), { text: 'done' });
  expect((await turnOf('terminal-changes', 'delete it')).calls).toMatchObject([{ state: 'failed' }]);
  expect(server.received).toHaveLength(2);
});

it('completes and cancels no task run of another session for an agent', async () => {
  const { task_run_id } = await startTaskRun(
    harness.client,
    { goal: 'of somebody else', session_id: 'foreign', contract: { expected_total: 2 } },
    options(),
  );
  const complete = use('task_run_complete', { task_run_id, force: true, reason: 'the agent says so' });
  const agent = await http.key('agent');
  for (const call of [complete, use('task_run_cancel', { task_run_id })]) {
    replies(choose('tasks'), call, { text: 'done' });
    expect((await turnFor(agent, 'agent-tasks')).calls).toMatchObject([{ state: 'failed' }]);
    expect(offered()).not.toContain('task_run_complete');
    expect(offered()).toContain('task_run_update');
  }
  expect(await getTaskRun(harness.client, task_run_id)).toMatchObject({ state: 'running' });
  replies(choose('tasks'), complete, { text: 'done' });
  const operator = await http.key('operator');
  expect((await turnFor(operator, 'operator-tasks')).calls).toMatchObject([{ state: 'done' }]);
  await cancelTaskRun(harness.client, task_run_id).catch(() => undefined);
});

it('goes by the sender of each message of a conversation', async () => {
  server.answer = (_, response) => void response.writeHead(200).end('seven');
  const [agent, admin] = [await http.key('agent'), await http.key('admin')];
  const states: string[] = [];
  for (const key of [agent, admin, agent]) {
    replies(choose('http'), send('GET'), { text: 'done' });
    states.push(...(await turnFor(key, 'shared')).calls.map(({ state }) => state));
  }
  expect(states).toEqual(['failed', 'done', 'failed']);
});

it('has a rule for every tool of the assistant, by which no role gets more than by the routes', async () => {
  const tools = (await describeTools(undefined, { caller: 'assistant' })).map(({ name }) => name);
  const registry = createTools(() => {
    throw new Error('no tool is called here');
  });
  const may = (role: (typeof ROLES)[number], tool: string) => mayHaveCalled(role, registry.find(tool) ?? {});
  const forRole = (role: (typeof ROLES)[number]) => tools.filter((tool) => may(role, tool));
  expect(forRole('admin')).toEqual(tools);
  expect(forRole('operator')).toEqual(tools);
  const beyond = ['http_request', 'task_run_cancel', 'task_run_complete'];
  expect(forRole('agent')).toEqual(tools.filter((tool) => !beyond.includes(tool)));
  const changing = ['start_bulk_operation', 'task_run_start', 'task_run_update', 'propose_macro'];
  for (const tool of [...beyond, ...changing]) expect([tool, may('viewer', tool)]).toEqual([tool, false]);
  expect(may('agent', 'a_tool_of_the_operator')).toBe(false);
});
