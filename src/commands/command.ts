import type { Client } from '@temporalio/client';
import { z } from 'zod';
import type { DecisionOptions } from '../client';
import type { JobKey } from '../contract/sentinel';
import type { Access } from '../core/access/permissions';

/** The kind of the job that a command starts; its id begins with it. */
type StartedJob = 'bulk' | 'task' | 'macro';

/** Where a job that a call starts belongs. */
interface Place {
  id: string;
  session_id?: string | undefined;
  /** The live job that starts it as a part of itself. */
  parent?: JobKey | undefined;
}

/** Who calls a command, as the interface that received the call knows them. */
export interface Caller {
  readonly task_queue: string;
  /** Lists contain only jobs of sessions that begin with this. */
  readonly session_prefix?: string | undefined;
  /** Signs the decisions of a person who signed in. */
  readonly decision: DecisionOptions;
  readonly is_agent: boolean;
  /** A person whom an identity provider signed in. */
  readonly subject?: string | undefined;
  /** The name for the record. A backend may name its person; others act under their own name. */
  nameOf(given?: string): string | undefined;
  /** The name for the record of a task run that is completed by force. */
  forcedBy(given?: string): string | undefined;
  place(kind: StartedJob, session_id?: string): Place;
}

/** How HTTP serves a command. */
interface HttpDoor<F extends string> {
  /** For example `POST /v1/operations/{operation_id}/cancel`. Fields that are not in the path are in the body or query. */
  readonly route: string;
  /** The fields that it takes; by default all. */
  readonly takes?: readonly F[];
  readonly optional_body?: true;
  /** The answer is 201. */
  readonly creates?: true;
  /** The answer is a page of a list, with `limit` and `cursor`. */
  readonly paged?: true;
}

/** How a tool serves a command: for agents over MCP, or for macros and the assistant through the gateway. */
interface ToolDoor<F extends string> {
  readonly name: string;
  /** The fields that it takes; by default all. */
  readonly takes?: readonly F[];
  /** Fields that are optional elsewhere, and that it requires. */
  readonly requires?: readonly F[];
  /** Where the reader needs more words than other callers. */
  readonly title?: string;
  readonly does?: string;
}

interface AgentDoor<F extends string, O> extends ToolDoor<F> {
  /** The sentence before the data. It contains no text by other people. */
  said?(output: O): string;
}

/** What it requires, it requires of models. A macro's steps are those of a person, who may leave it out. */
interface GatewayDoor<F extends string> extends ToolDoor<F> {
  /** Free data, whose fields no safety clamp limits. */
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
  /** The same call again has no further effect. */
  readonly idempotent: boolean;
  /** The job that it starts. An idempotency key then names that job. */
  readonly starts?: StartedJob;
  /** An idempotency key keeps the first answer for a day. A field `decision_id` takes the key in any case. */
  readonly keeps_answer?: true;
}

/** One verb of the product: what every interface offers, from one declaration. */
export interface Command<I extends z.ZodObject, O extends z.ZodObject> extends Words {
  readonly input: I;
  readonly output: O;
  readonly http?: HttpDoor<keyof I['shape'] & string>;
  /** Over MCP. A command that the role agent may not call asks a person instead, and waits for the decision. */
  readonly agent?: AgentDoor<keyof I['shape'] & string, z.output<O>>;
  readonly gateway?: GatewayDoor<keyof I['shape'] & string>;
  /**
   * Refuses a call before anything is remembered of it.
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

/** A command whose work gets the input that its schema parsed. */
export const command = <I extends z.ZodObject, O extends z.ZodObject>(
  declared: Command<I, O>,
): Command<I, O> => declared;

/** A schema with a description of each of its fields. */
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

/** The schema of the fields that an interface takes; by default all. `requires`: those that are not optional there. */
export function fieldsOf(
  { input }: Pick<AnyCommand, 'input'>,
  takes?: readonly string[],
  requires: readonly string[] = [],
): z.ZodRawShape {
  const all = Object.entries<z.core.$ZodType>(input.shape);
  const taken = takes ? all.filter(([name]) => takes.includes(name)) : all;
  return Object.fromEntries(
    taken.map(([name, field]) => [name, requires.includes(name) ? required(field) : field]),
  );
}

function required(field: z.core.$ZodType): z.core.$ZodType {
  if (!(field instanceof z.ZodOptional)) return field;
  return (field.unwrap() as z.ZodType).describe(field.description ?? '');
}
