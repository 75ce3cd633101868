import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { SuggestRequest } from '../../src/contract/adapter';
import { createAdapters } from '../../src/worker/adapters';
import { loadConfig } from '../../src/host/config';
import { agent, connectAgent, mcpContext, type Connected } from '../helpers/mcp';
import { countingTool, gateway, startHarness, type Harness } from '../helpers/harness';

let harness: Harness;
let ada: Connected;
let bob: Connected;
const counting = countingTool(12);
const LABELS = ['Tax 2026', 'Travel', 'travel ideas', 'Bills'];
const secret = 'key-of-the-tool';
/** A tool that suggests its labels, and fails for every other parameter. */
const tool = {
  ...counting,
  adapter: {
    ...counting.adapter,
    suggest: ({ parameter, params }: SuggestRequest) =>
      parameter === 'label_name'
        ? Promise.resolve([...LABELS, `T${'x'.repeat(500)}`, 'T\u0000', `T of ${params['board'] ?? 'all'}`])
        : Promise.reject(new Error(`refused ${secret}`)),
  },
};

beforeAll(async () => {
  harness = await startHarness({ adapters: [tool.adapter] });
  const context = mcpContext(harness, [tool.adapter]);
  ada = await connectAgent(context, agent('reading-ada'));
  bob = await connectAgent(context, agent('reading-bob'), {});
});
afterAll(async () => {
  await ada?.close();
  await bob?.close();
  await harness?.close();
});

async function start(by: Connected, session_id: string) {
  const mark = { domain: 'fake', action: 'mark', params: { group: 'all' }, reason: 'They are all read.' };
  return (await by.call('start_bulk_operation', { ...mark, session_id })).data as { operation_id: string };
}

describe('resources', () => {
  const uriOf = (id: string) => `batchgate://operations/${id}`;
  const read = async (by: Connected, uri: string): Promise<any> => {
    const { contents } = await by.client.readResource({ uri });
    return JSON.parse((contents[0] as { text: string }).text);
  };

  it('are the status, the report, the inbox and the parameters of adapters, only for the agent’s own operations', async () => {
    const { operation_id } = await start(ada, 'resources');
    expect(await read(ada, uriOf(operation_id))).toMatchObject({
      operation_id,
      state: 'awaiting_confirmation',
    });
    expect((await read(ada, `${uriOf(operation_id)}/report`)).rows).toHaveLength(12);
    expect((await read(ada, 'batchgate://adapters/fake')).actions[0].action).toBe('mark');
    await expect(read(bob, uriOf(operation_id))).rejects.toThrow();
    await expect(read(ada, 'batchgate://adapters/fax')).rejects.toThrow();
    const { resources } = await ada.client.listResources();
    expect(resources.map(({ uri }) => uri)).toContain('batchgate://inbox');
    expect((await ada.client.listResourceTemplates()).resourceTemplates).toHaveLength(5);
    await ada.call('cancel_bulk_operation', { operation_id });
  });

  it('and tools still answer for an operation that was deleted in Temporal, and only its agent', async () => {
    const { operation_id } = await start(ada, 'deleted');
    const { namespace } = harness.client.options;
    await harness.client.workflowService.deleteWorkflowExecution({
      namespace,
      workflowExecution: { workflowId: operation_id },
    });
    expect((await ada.call('get_bulk_status', { operation_id })).data).toMatchObject({ state: 'cancelled' });
    expect(await read(ada, uriOf(operation_id))).toMatchObject({ state: 'cancelled', total: 12 });
    expect((await read(ada, `${uriOf(operation_id)}/report`)).rows).toHaveLength(12);
    expect((await ada.call('get_bulk_report', { operation_id })).data.rows).toHaveLength(12);
    expect((await bob.call('get_bulk_status', { operation_id })).texts.join()).toContain('None of your jobs');
  });

  it('are the docs page of each adapter, and for an own adapter its own description', async () => {
    const shipped = await createAdapters(loadConfig({}));
    const reader = await connectAgent(
      mcpContext(harness, [...shipped.list(), tool.adapter]),
      agent('reading-docs'),
    );
    const page = async (name: string) => {
      const { contents } = await reader.client.readResource({ uri: `batchgate://adapters/${name}/page` });
      return contents[0] as { text: string; mimeType: string };
    };
    for (const { toolName } of shipped.list()) {
      const { text, mimeType } = await page(toolName);
      expect(mimeType).toBe('text/markdown');
      expect(text).toBe(readFileSync(join(__dirname, `../../docs/${toolName}.md`), 'utf8'));
    }
    const own = (await page('fake')).text;
    expect(own).toMatch(
      /^# fake\n\nThis adapter changes items\.\n\n## mark\n\nMarks each item\. Its `params`:/,
    );
    expect(own).toContain('"group"');
    await expect(page('mcp')).rejects.toThrow();
    await expect(page('..%2Fmcp')).rejects.toThrow();
    const { resources } = await reader.client.listResources();
    const uris = resources.map(({ uri }) => uri);
    expect(uris).toEqual(
      expect.arrayContaining(['batchgate://adapters/gmail', 'batchgate://adapters/gmail/page']),
    );
    await reader.close();
    await shipped.close();
  });

  it.each(['2026-07-28', '2025-11-25'])('notify subscribers of changes, in protocol %s', async (version) => {
    const by = version === '2026-07-28' ? ada : bob;
    const { operation_id } = await start(by, `changes-${version}`);
    const uri = uriOf(operation_id);
    const heard = gateway();
    by.client.setNotificationHandler('notifications/resources/updated', async ({ params }) => {
      if (params.uri !== uri) return;
      const { contents } = await by.client.readResource({ uri });
      if (JSON.stringify(contents).includes('cancelled')) heard.open();
    });
    const leave =
      by === ada
        ? await ada.client.listen({ resourceSubscriptions: [uri] }).then((one) => () => one.close())
        : await bob.client
            .subscribeResource({ uri })
            .then(() => () => bob.client.unsubscribeResource({ uri }));
    await by.call('cancel_bulk_operation', { operation_id });
    await heard.opened;
    await leave();
  });
});

describe('prompts and completions', () => {
  it('begin an operation and continue an interrupted one', async () => {
    const { prompts } = await ada.client.listPrompts();
    expect(prompts.map(({ name }) => name)).toEqual(['start_bulk_operation', 'resume_bulk_operation']);
    const args = { domain: 'fake', action: 'mark', items: 'all "open" ones' };
    const { messages } = await ada.client.getPrompt({ name: 'start_bulk_operation', arguments: args });
    expect((messages[0]?.content as { text: string }).text).toContain(JSON.stringify(args));
  });

  it('complete domains, actions and operation ids', async () => {
    const ref = { type: 'ref/prompt' as const, name: 'start_bulk_operation' };
    const complete = async (name: string, value: string, about: object = ref) =>
      (await ada.client.complete({ ref: about as never, argument: { name, value } })).completion.values;
    expect(await complete('domain', 'fa')).toEqual(['fake']);
    expect(await complete('action', '')).toEqual(['mark']);
    const template = { type: 'ref/resource', uri: 'batchgate://operations/{operation_id}' };
    const ids = await complete('operation_id', 'bulk-', template);
    expect(ids.length).toBeGreaterThan(0);
  });

  describe("complete a parameter's value from the values in the tool", () => {
    const complete = async (by: Connected, name: string, value: string, args?: Record<string, string>) => {
      const ref = { type: 'ref/prompt' as const, name: 'start_bulk_operation' };
      const context = args && { arguments: args };
      return (await by.client.complete({ ref, argument: { name, value }, context })).completion.values;
    };
    const fake = { domain: 'fake' };

    it('in any case, limited, using the arguments filled in before', async () => {
      expect(await complete(ada, 'label_name', 't', fake)).toEqual([
        ...['T of all', 'Tax 2026', 'Travel', 'travel ideas'],
      ]);
      expect(await complete(bob, 'label_name', 'T of', { ...fake, board: 'mine' })).toEqual(['T of mine']);
    });

    it('with nothing if there is no such domain, or the tool fails', async () => {
      expect(await complete(ada, 'label_name', 't')).toEqual([]);
      expect(await complete(ada, 'label_name', 't', { domain: 'fax' })).toEqual([]);
      expect(await complete(ada, 'board', '', fake)).toEqual([]);
    });

    it('with nothing if no worker answers in time', async () => {
      const waits = { ...mcpContext(harness, []).waits, suggestions: 100 };
      const apart = { client: harness.client, taskQueue: `${harness.taskQueue}-without-workers` };
      const alone = await connectAgent(mcpContext(apart, [tool.adapter], { waits }), agent('reading-alone'));
      expect(await complete(alone, 'label_name', 't', fake)).toEqual([]);
      await alone.close();
    });
  });
});
