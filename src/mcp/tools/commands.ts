import { randomUUID } from 'node:crypto';
import type { Client } from '@temporalio/client';
import { z } from 'zod';
import { getBulkStatus } from '../../client';
import { fieldsOf, type AnyCommand, type Caller as CommandCaller } from '../../commands/command';
import { bulkStatusSchema, bulkTurnSchema, type BulkStatus, type BulkTurn } from '../../contract/operation';
import { shortened, upTo } from '../../contract/text';
import { byMcp, checkReach, sessionOf } from '../caller';
import type { Call } from '../context';
import { withProgress } from '../progress';
import type { McpTool } from '../tool';
import { operationViewSchema, viewOf } from '../views';

/** The exceptions of one command's tool to the general handling of tools. */
export type OwnTool = Partial<Pick<McpTool, 'input' | 'output'>> & Pick<McpTool, 'run'>;

const PLANNED = 'The operation is being planned.';
const RUNS = 'The call is not over yet.';

/** Shorter than elsewhere: the agent's own prefix is put before it. */
export const session_id = upTo(100)
  .min(1)
  .optional()
  .describe('A name for another conversation; by default this one. One live operation at a time');

/** A tool that calls a command in the name of an agent, or that asks a person where the agent may not. */
export function commandTool(command: AnyCommand, own?: OwnTool): McpTool | undefined {
  const { agent, output, effect, idempotent, may } = command;
  if (!agent) return undefined;
  const asks = !may.roles.includes('agent');
  if (asks && !own) throw new Error(`${agent.name} asks a person, and no way to ask is registered`);
  const fields = fieldsOf(command, agent.takes, agent.requires);
  const isOperation = output === bulkStatusSchema || output === bulkTurnSchema;
  return {
    name: agent.name,
    title: agent.title ?? command.title,
    description: agent.does ?? command.does,
    input: z.strictObject('session_id' in fields ? { ...fields, session_id } : fields),
    output: isOperation ? operationViewSchema : output,
    traits: {
      readOnlyHint: effect === 'reads',
      destructiveHint: effect === 'changes',
      idempotentHint: idempotent,
      openWorldHint: effect === 'plans' || effect === 'changes',
    },
    ...(asks && { asks }),
    ...own,
    async run(args: Record<string, unknown>, call) {
      await checkJob(call, args);
      if (own) return own.run(args as never, call);
      const run = () => command.run(call.client, args as never, commandCaller(call));
      const answer = await withProgress(call, effect === 'plans' ? PLANNED : RUNS, run);
      if (isOperation) return viewOf(call, await statusOf(call.client, answer as BulkStatus | BulkTurn));
      return {
        said: agent.said?.(answer as never) ?? command.title,
        data: answer as Record<string, unknown>,
      };
    },
  };
}

/** A call that names a job is only for one of the agent's own. */
async function checkJob({ client, caller }: Call, args: Record<string, unknown>): Promise<void> {
  const id = args['operation_id'] ?? args['task_run_id'] ?? args['run_id'];
  for (const job of [id, args['revises']]) if (typeof job === 'string') await checkReach(client, caller, job);
}

/** A decision answers without the lists that an agent is shown. */
async function statusOf(client: Client, answer: BulkStatus | BulkTurn): Promise<BulkStatus> {
  return 'guard' in answer ? answer : getBulkStatus(client, answer.operation_id);
}

/** Within a conversation, operations, task runs and macros each have a live job of their own. */
const PARTS = { bulk: '', task: '.tasks', macro: '.macros' };

export function commandCaller({
  caller,
  context,
  request,
}: Pick<Call, 'caller' | 'context' | 'request'>): CommandCaller {
  const { started, told } = context.waits;
  const hasProgress = request._meta?.progressToken !== undefined;
  return {
    // A host gives up a call without the id of what it started.
    waits: { wait_ms: hasProgress ? told : started, accepts_unready: true },
    ...{
      task_queue: context.taskQueue,
      session_prefix: caller.sessions,
      is_agent: true,
      decision: byMcp(context),
    },
    ...{ nameOf: () => caller.name, subjectOf: () => undefined },
    // The agent may have the name of a person, who was not asked.
    forcedBy: () => shortened(`agent of ${caller.name}`, 150),
    place: (kind, session) => ({
      id: `${kind}-${randomUUID()}`,
      session_id: sessionOf(caller, session ?? `${caller.conversation}${PARTS[kind]}`),
    }),
  };
}
