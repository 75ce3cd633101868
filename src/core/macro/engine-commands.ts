import { z } from 'zod';
import type { ToolDefinition } from '../../contract/tools';

/** A tool as far as validation looks at it. */
export type KnownTool = Pick<ToolDefinition, 'name' | 'args'>;

/** The commands that the engine carries out itself, beside the registered tools. */
export const ENGINE_COMMANDS: readonly KnownTool[] = [
  {
    name: 'manage_transaction',
    args: z.strictObject({ action: z.enum(['begin', 'commit', 'rollback']) }),
  },
  { name: 'wait_for_bulk_operation', args: z.strictObject({ operation_id: z.string().min(1).max(500) }) },
];
