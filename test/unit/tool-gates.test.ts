import type { ToolCaller } from '../../src/contract/tools';
import { createHttpRequestTool } from '../../activities/tools/http-request';
import { unlimited } from '../../activities/adapters/shared/allowance';
import { checkCaller, offeredTo } from '../../src/core/assistant/prompt';
import { PERMISSIONS } from '../../src/commands/permissions';
import { mayHaveCalled } from '../../src/core/access/permissions';
import { ROLES } from '../../src/contract/access';
import { createSecrets } from '../../src/host/secrets';
import { BatchgateError } from '../../src/contract/errors';
import { describeTool } from '../../src/core/gateway/tool-registry';
import { createTools } from '../../src/worker/tools';
import { echo, gatewayTo } from '../helpers/tools';

const SECRET = 'a-word-that-nobody-may-read';
const saved = new Map<string, unknown>([['card', { note: 'word of the scratchpad' }]]);
const scratchpad = {
  read: (_: string, keys: string[]) => Promise.resolve(new Map(keys.map((key) => [key, saved.get(key)]))),
};
const to = (tool: Parameters<typeof echo>[0], secrets: string[] = []) =>
  gatewayTo({ scratchpad } as never, [echo(tool)], { secrets });

describe('the gateway', () => {
  it('makes no call for a model that changes data, and makes those that read', async () => {
    const called: string[] = [];
    const gateway = to({
      ...{ read_only: false, reads: ({ method }) => method === 'GET' },
      handler: (args) => Promise.resolve(called.push(String(args['method']))),
    });
    expect((await gateway.refused({ method: 'DELETE' })).body.details).toMatchObject({
      scenario: 'needs_a_person',
    });
    await gateway.call({ method: 'GET' });
    await gateway.call({ method: 'DELETE' }, { caller: 'macro' });
    expect(called).toEqual(['GET', 'DELETE']);
  });

  it('reads by http_request for a model, and changes nothing', async () => {
    const tool = createHttpRequestTool({
      ...{ allowed_hosts: ['127.0.0.1:1'], allowance: unlimited },
      secrets: createSecrets({ secrets: {}, folder: '/' }, {}),
    });
    const gateway = gatewayTo({ scratchpad } as never, [tool]);
    for (const method of ['POST', 'PUT', 'PATCH', 'DELETE']) {
      const { body } = await gateway.refused({ method, url: 'http://127.0.0.1:1/' });
      expect([method, body.message]).toEqual([method, expect.stringContaining('nobody has decided it')]);
    }
    const { body } = await gateway.refused({ method: 'GET', url: 'http://127.0.0.1:1/' });
    expect(body.message).toContain('could not be reached');
  });

  it('offers a tool to its callers alone, and one of a transaction to nobody without a transaction', async () => {
    const gateway = to({ callers: ['macro'] });
    for (const caller of ['assistant', 'http', 'mcp'] as ToolCaller[])
      expect((await gateway.refused({}, { caller })).message).toContain('is not offered here');
    const pinned = to({ transactional: true });
    expect((await pinned.refused({}, { caller: 'macro' })).message).toContain('runs inside a transaction');
  });

  it('gives a model only the categories that it asked for', async () => {
    const { body } = await to({ category: 'other' }).refused({}, { categories: ['test'] });
    expect(body.details).toMatchObject({ scenario: 'tool_not_found' });
  });

  it('shows a reader no secret, in a result or in an error, whatever a tool says', async () => {
    const told = await to({ handler: () => Promise.resolve({ said: `Bearer ${SECRET}` }) }, [SECRET]).call(
      {},
    );
    expect(told).toEqual({ said: 'Bearer …' });
    for (const error of [
      new Error(`refused ${SECRET}`),
      new BatchgateError('INVALID_INPUT', `refused ${SECRET}`, `not ${SECRET}`, { given: SECRET }),
    ]) {
      const { body } = await to({ handler: () => Promise.reject(error) }, [SECRET]).refused({});
      expect(JSON.stringify(body)).not.toContain(SECRET);
    }
  });

  it('withholds the words of a tool that was handed data of the scratchpad', async () => {
    const fails = to({ handler: (args) => Promise.reject(new Error(`no: ${JSON.stringify(args)}`)) });
    const { body } = await fails.refused({ card: 'ref:card' });
    expect(body.message).toContain('its message is withheld');
    expect(JSON.stringify(body)).not.toContain('word of the scratchpad');
  });
});

describe('the assistant', () => {
  const commands = createTools(() => {
    throw new Error('no tool is called here');
  });

  it('has nothing called that its caller may not do, by what it is offered and at the call', () => {
    const tools = ['start_bulk_operation', 'task_run_cancel', 'http_request', 'sql_update'].map((name) => {
      const tool = commands.find(name) ?? echo({ name });
      return { ...describeTool(tool), roles: tool.roles };
    });
    const offered = (role?: (typeof ROLES)[number]) =>
      offeredTo({ tools, adapters: [] }, role).tools.map(({ name }) => name);
    expect(offered('agent')).toEqual(['start_bulk_operation']);
    expect(offered('viewer')).toEqual([]);
    expect(offered('approver')).toEqual([]);
    expect(offered('operator')).toEqual(tools.map(({ name }) => name));
    expect(offered(undefined)).toEqual(tools.map(({ name }) => name));
    for (const tool of tools.slice(1))
      expect(() => checkCaller('agent', tool)).toThrow(/may not do this directly/);
    expect(() => checkCaller('agent', tools[0] ?? { name: 'none' })).not.toThrow();
  });

  it('starts for a role exactly what the role may start', () => {
    for (const role of ROLES) {
      const may = PERMISSIONS['POST /v1/operations']?.roles.includes(role);
      expect([role, mayHaveCalled(role, commands.find('start_bulk_operation') ?? {})]).toEqual([role, may]);
    }
  });
});
