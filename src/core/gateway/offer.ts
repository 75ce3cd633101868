import { shortened } from '../../contract/text';
import type { ToolDefinition, ToolRequest } from '../../contract/tools';
import { isOfferedTo, type ToolRegistry } from '../tool-registry';
import { toolFailure } from './errors';

/**
 * The tool that a request asks for.
 * @throws BatchgateError `TOOL_FAILED` when there is none of this name, its category was not asked for, or it is not
 * for this caller.
 */
export function findOffered(
  registry: ToolRegistry,
  { tool: name, caller, categories }: Pick<ToolRequest, 'tool' | 'caller' | 'categories'>,
): ToolDefinition {
  const tool = registry.find(name);
  const shown = shortened(name, 150);
  if (!tool) throw toolFailure('tool_not_found', `There is no tool '${shown}'.`, { tool: shown });
  if (categories && !categories.includes(tool.category)) {
    throw toolFailure(
      'tool_not_found',
      `The tool ${name} is of the category '${tool.category}', which was not requested.`,
      { tool: name, category: tool.category },
    );
  }
  if (isOfferedTo(tool, caller)) return tool;
  const { fallback } = tool;
  const other = fallback === undefined ? '' : ` ${fallback} may do instead.`;
  throw toolFailure('undefined_tool', `The tool ${name} is not offered here.${other}`, {
    tool: name,
    ...(fallback !== undefined && { fallback }),
  });
}
