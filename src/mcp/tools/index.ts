import { AGENT_TOOLS } from '../../core/access/permissions';
import type { McpTool } from '../tool';
import { DECISION_TOOLS } from './decisions';
import { descriptionTools } from './descriptions';
import { MACRO_TOOLS } from './macros';
import { OPERATION_TOOLS } from './operations';
import { TASK_RUN_TOOLS } from './task-runs';

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
