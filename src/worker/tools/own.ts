import { z } from 'zod';
import type { Config } from '../../config';
import { TOOL_CALLERS, type ToolDefinition } from '../../contract/tools';
import { functionShape, loadOwn } from '../own-modules';

const toolShape = z.looseObject({
  name: z.string(),
  description: z.string(),
  category: z.string(),
  args: z.instanceof(z.ZodObject),
  output: z.instanceof(z.ZodType).optional(),
  fallback: z.string().optional(),
  read_only: z.boolean(),
  idempotent: z.boolean(),
  transactional: z.boolean(),
  callers: z.array(z.enum(TOOL_CALLERS)).optional(),
  handler: functionShape,
});

/**
 * The tools of the modules that the configuration names, each of which exports them as `tools`.
 * @throws BatchgateError `NOT_CONFIGURED` naming the module and what is wrong with it.
 */
export function loadOwnTools({ file }: Pick<Config, 'file'>): Promise<ToolDefinition[]> {
  return loadOwn(file, file.tools, { name: 'tools', shape: toolShape, page: 'docs/tools.md' });
}
