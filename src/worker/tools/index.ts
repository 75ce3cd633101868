import { z } from 'zod';
import { createHttpRequestTool } from '../../../activities/tools/http-request';
import { createScratchpadTools } from '../../../activities/tools/scratchpad';
import { SQL_TOOLS } from '../../../activities/tools/sql';
import { loadConfig, type Config } from '../../host/config';
import type { Scratchpad } from '../../contract/scratchpad';
import {
  type ToolDescription,
  type ToolDefinition,
  type ToolQuery,
  TOOL_CALLERS,
} from '../../contract/tools';
import {
  createToolRegistry,
  describeTool,
  fitsQuery,
  type ToolRegistry,
} from '../../core/gateway/tool-registry';
import { ENGINE_COMMANDS } from '../../core/macro/engine-commands';
import { unlimited, type Allowance } from '../../../activities/adapters/shared/allowance';
import { createSecrets } from '../../host/secrets';
import { createCommandTools, type CommandServices } from './commands';
import { createMacroTools } from './macros';
import { functionShape, loadOwn } from '../own-modules';

/** The services that the built-in tools use. */
export interface ToolServices extends CommandServices {
  readonly scratchpad: Scratchpad;
}

/**
 * Returns the tools that depend on the configuration: `http_request`, which shares the allowance of the adapter http,
 * and those of the user's own modules.
 * @throws BatchgateError `NOT_CONFIGURED` when one of the user's own cannot be loaded.
 */
export async function configuredTools(
  config: Pick<Config, 'file' | 'env'>,
  httpAllowance: Allowance,
): Promise<ToolDefinition[]> {
  const { file, env } = config;
  const secrets = createSecrets(file, env);
  const { allowed_hosts } = file.http;
  const http = createHttpRequestTool({ allowed_hosts, allowance: httpAllowance, secrets });
  return [http, ...(await loadOwnTools(config))];
}

/**
 * Returns the tools of a worker with this configuration, in the order of their names: every built-in tool and those of
 * the modules. No tool is called, and no server is needed.
 * @throws BatchgateError `NOT_CONFIGURED` when a module of tools cannot be loaded.
 */
export async function describeTools(
  config: Pick<Config, 'file' | 'env'> = loadConfig(),
  { caller, category, trait }: ToolQuery = {},
): Promise<ToolDescription[]> {
  const registered = (await uncalledTools(config)).describeTools();
  return [...registered, ...ENGINE_COMMANDS.map(describeTool)]
    .filter(
      (tool) =>
        (caller === undefined || tool.callers.includes(caller)) && fitsQuery(tool, { category, trait }),
    )
    .sort((a, b) => (a.name < b.name ? -1 : 1));
}

/** Returns the tools that a macro may call. */
export async function macroTools(config: Pick<Config, 'file' | 'env'>): Promise<ToolDefinition[]> {
  return (await uncalledTools(config)).listTools({ caller: 'macro' });
}

async function uncalledTools(config: Pick<Config, 'file' | 'env'>): Promise<ToolRegistry> {
  const nobody = () => {
    throw new Error('Tools that are only described have nothing to work through');
  };
  return createTools(nobody, await configuredTools(config, unlimited));
}

/**
 * Creates the built-in tools and further ones. `services` is called at each call of a tool.
 * @throws BatchgateError `NOT_CONFIGURED` when the registry refuses one.
 */
export function createTools(
  services: () => ToolServices,
  further: readonly ToolDefinition[] = [],
): ToolRegistry {
  return createToolRegistry([
    ...createScratchpadTools(() => services().scratchpad),
    ...createCommandTools(services),
    ...createMacroTools(services),
    ...SQL_TOOLS,
    ...further,
  ]);
}

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
 * Loads the tools of the modules that the configuration names. Each module exports them as `tools`.
 * @throws BatchgateError `NOT_CONFIGURED` naming the module and what is wrong with it.
 */
function loadOwnTools({ file }: Pick<Config, 'file'>): Promise<ToolDefinition[]> {
  return loadOwn(file, file.tools, { name: 'tools', shape: toolShape, page: 'docs/tools.md' });
}
