import { z } from 'zod';
import { adapterDescriptionSchema } from '../../contract/adapter';
import { toolDescriptionSchema, type ToolCaller, type ToolDescription } from '../../contract/tools';
import { describeTool } from '../../core/gateway/tool-registry';
import { BatchgateError } from '../../contract/errors';
import { upTo } from '../../contract/text';
import { LOOKS, mcpTool, type McpTool } from '../tool';

/** `all`: the tools of the server, which contain these. */
export const descriptionTools = (all: () => readonly McpTool[]): readonly McpTool[] => [
  mcpTool({
    name: 'describe_tools',
    title: 'Describe what can be changed',
    description:
      'The adapters (gmail, calendar, trello, imap, caldav, sql, http, ...) with their actions. With domain, that adapter alone, with the JSON Schema of the params of each action: read it before you start or preview an operation.',
    input: z.strictObject({
      domain: upTo(150).min(1).optional().describe('Only this adapter, with the params'),
    }),
    output: z.object({
      adapters: z.array(
        z.object({
          adapter: z.string(),
          item_noun: adapterDescriptionSchema.shape.item_noun,
          actions: z.array(
            adapterDescriptionSchema.shape.actions.element.partial({ params: true, params_with_items: true }),
          ),
        }),
      ),
    }),
    traits: LOOKS,
    async run({ domain }, { context }) {
      const all = await context.describeAdapters();
      if (domain === undefined) {
        const adapters = all.map((adapter) => ({
          ...adapter,
          actions: adapter.actions.map(({ action, description }) => ({ action, description })),
        }));
        return {
          said: 'Call describe_tools with a domain for the params of its actions.',
          data: { adapters },
        };
      }
      const adapters = all.filter(({ adapter }) => adapter === domain);
      if (adapters.length === 0) throw unknown(all.map(({ adapter }) => adapter));
      return { said: 'The actions with the JSON Schema of their params.', data: { adapters } };
    },
  }),
  mcpTool({
    name: 'list_tools',
    title: 'List your tools',
    description: 'The tools that you can call here: what each does, and with its name, its arguments.',
    input: z.strictObject({
      category: upTo(150).optional().describe('bulk, tasks, macros or descriptions'),
      name: upTo(150).optional().describe('Only this one, with the JSON Schema of its arguments'),
    }),
    output: z.object({
      tools: z.array(toolDescriptionSchema.partial({ args: true, output: true })),
    }),
    traits: LOOKS,
    run({ category, name }) {
      const tools = all()
        .map(describedTool)
        .filter((tool) => category === undefined || tool.category === category)
        .filter((tool) => name === undefined || tool.name === name)
        .map(({ args, output, ...tool }) => (name === undefined ? tool : { ...tool, args, output }));
      return Promise.resolve({ said: `${tools.length} tools.`, data: { tools } });
    },
  }),
];

export function describedTool({ name, description, input, output, traits }: McpTool): ToolDescription {
  const { readOnlyHint: read_only, idempotentHint: idempotent } = traits;
  const tool = { name, description, read_only, idempotent, transactional: false, callers: CALLERS };
  return describeTool({ ...tool, category: categoryOf(name), args: input, output });
}

const CALLERS: readonly ToolCaller[] = ['mcp'];

function categoryOf(name: string): string {
  if (name.startsWith('task_run_')) return 'tasks';
  if (name === 'run_macro') return 'macros';
  return name === 'describe_tools' || name === 'list_tools' ? 'descriptions' : 'bulk';
}

const unknown = (names: string[]) =>
  new BatchgateError(
    'UNKNOWN_ADAPTER',
    'No adapter has this name.',
    `Use one of: ${names.sort().join(', ')}.`,
  );
