import { z } from 'zod';
import { adapterDescriptionSchema } from '../../contract/adapter';
import { toolDescriptionSchema } from '../../contract/tools';
import { BatchgateError } from '../../contract/errors';
import { upTo } from '../../contract/text';
import { LOOKS, mcpTool, type McpTool } from '../tool';

export const DESCRIPTION_TOOLS: readonly McpTool[] = [
  mcpTool({
    name: 'describe_tools',
    title: 'Describe what can be changed',
    description:
      'The adapters (gmail, calendar, trello, sql, http, ...) with their actions. With domain, that adapter alone, with the JSON Schema of the params of each action: read it before you start or preview an operation.',
    input: z.strictObject({ domain: upTo(150).min(1).optional() }),
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
        const adapters = all.map((one) => ({
          ...one,
          actions: one.actions.map(({ action, description }) => ({ action, description })),
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
    title: 'List the tools of macros',
    description:
      'The tools that macros call, with their arguments. They are for reading and writing macros; you cannot call them yourself.',
    input: z.strictObject({
      category: upTo(150).optional(),
      name: upTo(150).optional().describe('Only this one, with the JSON Schema of its arguments'),
    }),
    output: z.object({
      tools: z.array(toolDescriptionSchema.partial({ args: true, output: true })),
    }),
    traits: LOOKS,
    async run({ category, name }, { context }) {
      const tools = (await context.describeTools({ category }))
        .filter((tool) => name === undefined || tool.name === name)
        .map(({ args, output, ...tool }) => (name === undefined ? tool : { ...tool, args, output }));
      return { said: `${tools.length} tools.`, data: { tools } };
    },
  }),
];

const unknown = (known: string[]) =>
  new BatchgateError(
    'UNKNOWN_ADAPTER',
    'No adapter has this name.',
    `Use one of: ${known.sort().join(', ')}.`,
  );
