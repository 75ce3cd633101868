import { z } from 'zod';
import { COMMANDS } from '../../commands';
import { listCommand } from '../../commands/looks';
import { operationRowSchema } from '../../contract/rows';
import type { ToolDescription, ToolQuery } from '../../contract/tools';
import { fitsQuery } from '../../core/gateway/tool-registry';
import { approvalUrl } from '../context';
import type { McpTool } from '../tool';
import { commandCaller, commandTool, type OwnTool } from './commands';
import { ASKING } from './decisions';
import { describedTool, descriptionTools } from './descriptions';
import { runMacroTool } from './macros';

/**
 * The tools that a caller may call. An agent over MCP has the tools of that server, and none of the gateway, which are
 * for macros, models and the HTTP API.
 */
export async function toolsFor(
  gateway: (query: ToolQuery) => Promise<ToolDescription[]>,
  query: ToolQuery,
): Promise<ToolDescription[]> {
  if (query.caller !== 'mcp') return gateway(query);
  return TOOLS.map(describedTool)
    .filter((tool) => fitsQuery(tool, query))
    .sort(byName);
}

const byName = (one: ToolDescription, other: ToolDescription) => (one.name < other.name ? -1 : 1);

/** A list with the page where a person decides about each operation. */
const listTool: OwnTool = {
  output: z.object({ items: z.array(operationRowSchema.extend({ approval_url: z.string() })) }),
  async run(filter: z.output<typeof listCommand.input>, call) {
    const { items: rows } = await listCommand.run(call.client, filter, commandCaller(call));
    const items = await Promise.all(
      rows.map(async (row) => ({ ...row, approval_url: await approvalUrl(call.context, row.operation_id) })),
    );
    return { said: `${items.length} operations.`, data: { items } };
  },
};

const OWN: Readonly<Record<string, OwnTool>> = { ...ASKING, [listCommand.name]: listTool };

/** In the order in which an agent needs them. */
export const TOOLS: readonly McpTool[] = [
  ...descriptionTools(() => TOOLS),
  ...COMMANDS.flatMap((command) => commandTool(command, OWN[command.name]) ?? []),
  runMacroTool,
];
