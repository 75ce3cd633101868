import { AGENT_TOOLS } from '../../core/access/permissions';
import type { ToolDescription, ToolQuery } from '../../contract/tools';
import { fitsQuery } from '../../core/gateway/tool-registry';
import type { McpTool } from '../tool';
import { DECISION_TOOLS } from './decisions';
import { describedTool, descriptionTools } from './descriptions';
import { MACRO_TOOLS } from './macros';
import { OPERATION_TOOLS } from './operations';
import { TASK_RUN_TOOLS } from './task-runs';

/**
 * What a caller may call. An agent over MCP has the tools of that server, and none of the gateway, which are for macros,
 * models and the HTTP API.
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

/** In the order in which an agent needs them. */
export const TOOLS: readonly McpTool[] = [
  ...descriptionTools(() => TOOLS),
  ...OPERATION_TOOLS,
  ...DECISION_TOOLS,
  ...TASK_RUN_TOOLS,
  ...MACRO_TOOLS,
].map((tool) => {
  if (AGENT_TOOLS[tool.name] === (tool.asks ? 'asks' : 'acts')) return tool;
  throw new Error(`${tool.name} is not so in the table of permissions`);
});
