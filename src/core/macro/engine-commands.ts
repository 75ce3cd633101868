import { z } from 'zod';
import { upTo } from '../../contract/text';
import type { ToolDefinition } from '../../contract/tools';

/** The parts of a tool that validation reads. */
export type KnownTool = Pick<ToolDefinition, 'name' | 'args'>;

/** The commands that the engine itself carries out, besides the registered tools. */
export const ENGINE_COMMANDS: readonly Omit<ToolDefinition, 'handler'>[] = [
  {
    name: 'manage_transaction',
    description: 'Begins, commits or rolls back the transaction of the macro; a commit begins the next one.',
    args: z.strictObject({ action: z.enum(['begin', 'commit', 'rollback']) }),
    ...{ category: 'macro', callers: ['macro'], read_only: false, idempotent: false, transactional: false },
  },
  {
    name: 'wait_for_bulk_operation',
    description: 'Waits until a bulk operation has ended, and returns its last status.',
    args: z.strictObject({ operation_id: upTo(500).min(1) }),
    ...{ category: 'macro', callers: ['macro'], read_only: true, idempotent: true, transactional: false },
  },
];
