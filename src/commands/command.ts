import type { Client } from '@temporalio/client';
import { z } from 'zod';
import type { DecisionOptions, WaitOptions } from '../client';
import type { JobKey } from '../contract/sentinel';
import type { Access } from '../core/access/permissions';

/** The kind of the job that a command starts; its id begins with it. */
type StartedJob = 'bulk' | 'task' | 'macro';

/** The id, session and parent of a job that a call starts. */
interface Place {
  id: string;
  session_id?: string | undefined;
  /** The live job that starts the job as a part of itself. */
  parent?: JobKey | undefined;
}

/** The caller of a command, identified by the interface that received the call. */
export interface Caller {
  readonly task_queue: string;
  /** Lists contain only jobs of sessions that begin with this. */
  readonly session_prefix?: string | undefined;
  /** Signs the decisions of a person who signed in. */
  readonly decision: DecisionOptions;
  readonly is_agent: boolean;
  /** The wait for the first question of an operation that the command starts. */
  readonly waits?: Pick<WaitOptions, 'wait_ms' | 'accepts_unready'>;
  /** The name for the record. A backend may name its person; others act under their own name. */
  nameOf(name?: string): string | undefined;
  /** The id of the requester at an identity provider. A backend may name that of its person; others have their own. */
  subjectOf(subject?: string): string | undefined;
  /** The name for the record of a task run that is completed by force. */
  forcedBy(name?: string): string | undefined;
  place(kind: StartedJob, session_id?: string): Place;
}

/** The HTTP interface of a command. */
interface HttpDoor<F extends string> {
  /**
   * For example `POST /v1/operations/{operation_id}/cancel`. Fields that are not in the path are in the body or query.
   */
  readonly route: string;
  /** The accepted fields. Default: all. */
  readonly takes?: readonly F[];
  readonly optional_body?: true;
  /** The answer is 201. */
  readonly creates?: true;
  /** The answer is a page of a list, with `limit` and `cursor`. */
  readonly paged?: true;
}

/** The tool interface of a command: for agents over MCP, or for macros and the assistant through the gateway. */
interface ToolDoor<F extends string> {
  readonly name: string;
  /** The accepted fields. Default: all. */
  readonly takes?: readonly F[];
  /** Fields that are required here and optional elsewhere. */
  readonly requires?: readonly F[];
  /** A longer title than for other callers. */
  readonly title?: string;
  readonly does?: string;
}

interface AgentDoor<F extends string, O> extends ToolDoor<F> {
  /** The sentence before the data. It contains no text by other people. */
  said?(output: O): string;
}

/** `requires` applies only to models. A person writes the steps of a macro, and may omit these fields. */
interface GatewayDoor<F extends string> extends ToolDoor<F> {
  /** Fields with free data, which safety clamps do not limit. */
  readonly free?: readonly F[];
}

interface Words {
  /** The name of the function, and the `operationId` of HTTP. */
  readonly name: string;
  readonly group: 'operations' | 'decisions' | 'sessions' | 'task runs' | 'macros' | 'settings';
  readonly title: string;
  readonly does: string;
  readonly may: Access;
  /** `plans` and `records` change our own data only; `changes` leads to a change of items. */
  readonly effect: 'reads' | 'records' | 'plans' | 'changes';
  /** A repeated call has no further effect. */
  readonly idempotent: boolean;
  /** The kind of job that the command starts. An idempotency key then names that job. */
  readonly starts?: StartedJob;
  /** An idempotency key keeps the first answer for a day. A field `decision_id` takes the key in any case. */
  readonly keeps_answer?: true;
}

/** One verb of the product, declared once for all interfaces. */
export interface Command<I extends z.ZodObject, O extends z.ZodObject> extends Words {
  readonly input: I;
  readonly output: O;
  readonly http?: HttpDoor<keyof I['shape'] & string>;
  /** The MCP interface. A command that the role agent may not call asks a person and waits for the decision. */
  readonly agent?: AgentDoor<keyof I['shape'] & string, z.output<O>>;
  readonly gateway?: GatewayDoor<keyof I['shape'] & string>;
  /**
   * Refuses a call before anything about it is stored.
   * @throws BatchgateError
   */
  check?(input: z.output<I>, caller: Caller): void;
  run(client: Client, input: z.output<I>, caller: Caller): Promise<z.output<O>>;
}

/** A command of a list of different ones. */
export interface AnyCommand extends Words {
  readonly input: z.ZodObject;
  readonly output: z.ZodObject;
  readonly http?: HttpDoor<string>;
  readonly agent?: AgentDoor<string, never>;
  readonly gateway?: GatewayDoor<string>;
  check?(input: never, caller: Caller): void;
  run(client: Client, input: never, caller: Caller): Promise<unknown>;
}

/** Declares a command. Its `run` gets the parsed input. */
export const command = <I extends z.ZodObject, O extends z.ZodObject>(
  declared: Command<I, O>,
): Command<I, O> => declared;

/** Adds descriptions to the fields of a schema. */
export function described<T extends z.ZodObject>(
  schema: T,
  words: Readonly<Record<keyof T['shape'] & string, string>>,
): T {
  const fields = Object.entries(words as Record<string, string>).map(([name, text]) => [
    name,
    (schema.shape as Record<string, z.ZodType>)[name]?.describe(text),
  ]);
  return schema.extend(Object.fromEntries(fields) as z.ZodRawShape) as unknown as T;
}

/** Returns the schema of the fields that an interface accepts. Default: all. `requires`: the required fields. */
export function fieldsOf(
  { input }: Pick<AnyCommand, 'input'>,
  takes?: readonly string[],
  requires: readonly string[] = [],
): z.ZodRawShape {
  const all = Object.entries<z.core.$ZodType>(input.shape);
  const fields = takes ? all.filter(([name]) => takes.includes(name)) : all;
  return Object.fromEntries(
    fields.map(([name, field]) => [name, requires.includes(name) ? required(field) : field]),
  );
}

function required(field: z.core.$ZodType): z.core.$ZodType {
  if (!(field instanceof z.ZodOptional)) return field;
  return (field.unwrap() as z.ZodType).describe(field.description ?? '');
}
