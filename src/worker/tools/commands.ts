import type { Client } from '@temporalio/client';
import { z } from 'zod';
import { COMMANDS } from '../../commands';
import { fieldsOf, type AnyCommand, type Caller } from '../../commands/command';
import { isAssistant, isMacroRun } from '../../contract/job-ids';
import { shortened } from '../../contract/text';
import { defineTool, type ToolContext, type ToolDefinition } from '../../contract/tools';
import { toolFailure } from '../../core/gateway/errors';
import { startedBy } from '../../core/shared/canonical';

/** The services that start and read operations, task runs and macros. */
export interface CommandServices {
  readonly client: Client;
  readonly taskQueue: string;
}

/** Creates tools of the commands that macros and models may call. Only a person confirms the operations they start. */
export const createCommandTools = (services: () => CommandServices): ToolDefinition[] =>
  COMMANDS.flatMap((command) => commandTool(command, services) ?? []);

function commandTool(command: AnyCommand, services: () => CommandServices): ToolDefinition | undefined {
  const { gateway, effect, group } = command;
  if (!gateway) return undefined;
  return defineTool({
    name: gateway.name,
    description: gateway.does ?? command.does,
    category: group === 'task runs' ? 'tasks' : 'bulk',
    args: argsOf(command, gateway),
    read_only: effect === 'reads',
    // A call that starts a job has a key that names it.
    idempotent: true,
    transactional: false,
    roles: rolesOf(command),
    handler(args, context) {
      const caller = callerOf(services(), context);
      if (isModel(context)) refuseMissing(gateway, args);
      return asked(services, context, (client) => command.run(client, args as never, caller));
    },
  });
}

const schemas = new WeakMap<AnyCommand, z.ZodObject>();

/** Returns the arguments of a command. Each schema is made once, because its description is cached with it. */
function argsOf(command: AnyCommand, { takes, free }: NonNullable<AnyCommand['gateway']>): z.ZodObject {
  const cached = schemas.get(command);
  if (cached) return cached;
  const fields = Object.entries(fieldsOf(command, takes)) as [string, z.ZodType][];
  const args = z.strictObject(
    Object.fromEntries(
      fields.map(([name, field]) => [
        name,
        free?.includes(name) ? field.meta({ ...field.meta(), clamp: 'none' }) : field,
      ]),
    ),
  );
  schemas.set(command, args);
  return args;
}

/** @throws BatchgateError `TOOL_FAILED` for required fields that a model leaves out. */
function refuseMissing(
  { name, requires = [] }: NonNullable<AnyCommand['gateway']>,
  args: Record<string, unknown>,
): void {
  const missing = requires.filter((field) => args[field] === undefined);
  if (missing.length === 0) return;
  const [path = ''] = missing;
  throw toolFailure('missing_parameter', `${name}: ${missing.join(', ')}: is missing.`, { tool: name, path });
}

/** The assistant cannot determine which jobs are an agent's own, so it refuses agents the commands limited to them. */
const rolesOf = ({ may }: AnyCommand) => may.roles.filter((role) => !(may.own_only && role === 'agent'));

/** The time that a start has left to read its status, and the share of the call's time that this may take. */
const STATUS_MS = 10_000;
const STATUS_SHARE = 0.25;

/** A plan may take longer than the call of a model's tool, whose result then has the state `preparing`. */
function waitsUntil(deadline: number): NonNullable<Caller['waits']> {
  const left = Math.max(0, deadline - Date.now());
  return { wait_ms: Math.floor(left - Math.min(STATUS_MS, left * STATUS_SHARE)), accepts_unready: true };
}

/** Whether a model makes the call, and not a step of a macro. */
const isModel = ({ job }: Pick<ToolContext, 'job'>): boolean => job !== undefined && isAssistant(job.job_id);

function callerOf({ taskQueue }: CommandServices, { job, deadline, ...context }: ToolContext): Caller {
  const isCalledByModel = isModel({ job });
  return {
    ...{ task_queue: taskQueue, decision: {}, is_agent: context.by_agent === true || isCalledByModel },
    ...(isCalledByModel && { waits: waitsUntil(deadline) }),
    ...{ nameOf: () => undefined, subjectOf: () => undefined },
    // A model cannot name another person as the one who forced the completion.
    forcedBy: () => job && shortened(job.job_id, 150),
    place(kind, named) {
      const session_id = kind === 'bulk' ? (named ?? context.session_id) : named;
      // In another session it is a job of its own. A macro holds its session; a task run there is a part of it.
      const isPart =
        session_id === context.session_id && (kind === 'bulk' || (job && isMacroRun(job.job_id)));
      return { id: startedBy(kind, context.idempotency_key), session_id, ...(isPart && { parent: job }) };
    },
  };
}

/** Makes one call of the client, which ends with the tool's call. */
export function asked<T>(
  services: () => CommandServices,
  { signal }: Pick<ToolContext, 'signal'>,
  question: (client: Client) => Promise<T>,
): Promise<T> {
  const { client } = services();
  return client.withAbortSignal(signal, () => question(client));
}
