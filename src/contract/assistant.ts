import { z } from 'zod';
import { ROLES, type Role } from './access';
import { BatchgateError, errorBodySchema } from './errors';
import type { Json } from './macro';
import { bulkStatusSchema, type BulkTurn } from './operation';
import { idSchema, textSchema, upTo } from './text';

/** The workflow of a session's assistant is named after it, and job ids are bounded. */
const ID_PREFIX = 'assistant-';
const sessionSchema = idSchema(140);

/** The workflow id of a session's assistant. A session has one assistant. */
export const assistantId = (sessionId: string): string => `${ID_PREFIX}${sessionId}`;
/** The session of the assistant with this workflow id. */
export const sessionOfAssistant = (workflowId: string): string => workflowId.slice(ID_PREFIX.length);

export const assistantInputSchema = z.strictObject({
  session_id: sessionSchema,
  /** The profile whose limits apply; by default `default`. */
  profile: idSchema(150).optional(),
});
export type AssistantInput = z.infer<typeof assistantInputSchema>;

/**
 * A message through any door. A text longer than the profile's limit is stored in the scratchpad. Only a text that is
 * too large for an update is refused.
 */
export const messageTextSchema = textSchema(200_000);

/** Update `message`. A repeated `message_id` is the same message. */
export const assistantMessageSchema = z.strictObject({
  text: messageTextSchema.refine((text) => text.trim() !== '', 'must not be empty'),
  message_id: idSchema(150).optional(),
  /**
   * The sender's role at the HTTP API. It limits the tools that the assistant may call; without a role there is no
   * limit.
   */
  role: z.enum(ROLES).optional(),
  /** The sender's IANA time zone. */
  zone: upTo(60).optional(),
});
export type AssistantMessage = z.infer<typeof assistantMessageSchema>;

/** Update `stop`: ends the turn, if it is still this one. */
export const stopRequestSchema = z.strictObject({ turn: z.number().int().min(1).optional() });
export type StopRequest = z.infer<typeof stopRequestSchema>;

/** A call that the model requested. */
export interface ModelCall {
  id: string;
  tool: string;
  args: Record<string, Json>;
  /** Set if the arguments are not a JSON object: the digest of the model's text, so that different calls differ. */
  unreadable?: string;
  /** The arguments were dropped, because the arguments of one answer have a limit in size. */
  too_large?: true;
  /** The model's answer was cut, so this call may be incomplete. */
  cut?: true;
  /** For a choice of categories: those that no tool has. */
  unknown_categories?: string[];
  /** The traits of the worker's tool of this name; absent if there is none. */
  traits?: { read_only: boolean; idempotent: boolean };
}

/** The time of an entry in milliseconds, and the person's time zone. Entries of earlier releases have neither. */
export interface EntryTime {
  at?: number;
  zone?: string;
}

/**
 * One entry of the conversation. `notice` is a message from batchgate to the model; it begins a turn, unless it is an
 * `aside`. `summary` replaces the entries before it, which are stored under `ref` if the scratchpad had room; `cut`:
 * only their beginning.
 */
export type Entry = { tokens: number } & (
  | ({ role: 'person'; text: string; ref?: string } & EntryTime)
  | { role: 'model'; text: string; calls: ModelCall[] }
  | { role: 'tool'; call_id: string; tool: string; output: Json }
  | ({ role: 'notice'; text: string; aside?: true } & EntryTime)
  | { role: 'summary'; text: string; ref?: string; cut?: true }
);

/** The limits of a profile that apply to a turn (specification P1). */
export interface TurnLimits {
  context_tokens: number;
  output_tokens: number;
  steps: number;
  calls_per_step: number;
  calls: number;
  idle_seconds: number;
}

/**
 * `working`: the turn is running. `asks`: its answer is a question to the person. `waits`: it started an operation
 * whose question is open, or will be once its plan is ready. `ended`: it gave up, and its answer reports what was done and what is still open.
 */
const turnStateSchema = z.enum(['working', 'answered', 'asks', 'waits', 'stopped', 'ended']);
export type TurnState = z.infer<typeof turnStateSchema>;

const callViewSchema = z.object({
  tool: z.string(),
  state: z.enum(['running', 'done', 'failed', 'refused']),
  said: z.string().optional(),
});
export type CallView = z.infer<typeof callViewSchema>;

/** One turn, from a message or the end of an operation to the assistant's answer. */
export const turnViewSchema = z.object({
  number: z.number().int(),
  /** The message or event that began it. */
  about: z.enum(['message', 'outcome']),
  text: z.string(),
  state: turnStateSchema,
  answer: z.string().optional(),
  /** The digest of the macro that the turn proposed. An answer repeats it as `seen`. */
  asked: z.object({ digest: z.string() }).optional(),
  /** The run id of that macro. */
  proposed: z.string().optional(),
  /** The operations that the turn started. */
  operations: z.array(z.string()),
  calls: z.array(callViewSchema),
  steps: z.number().int(),
  steps_left: z.number().int(),
  calls_left: z.number().int(),
  error: errorBodySchema.optional(),
});
export type TurnView = z.infer<typeof turnViewSchema>;

/** `cleared`: the session was idle for longer than its threshold. */
export const assistantStateSchema = z.enum(['idle', 'working', 'cleared', 'cancelled', 'rejected']);

/** Query `get` of an assistant. */
export const assistantStatusSchema = z.object({
  session_id: z.string(),
  profile: z.string().optional(),
  state: assistantStateSchema,
  error: errorBodySchema.optional(),
  /** The latest turns. */
  turns: z.array(turnViewSchema),
  /** Messages that wait for their turn. */
  waiting: z.number().int(),
  /** Operations that the assistant started and that have not ended. */
  operations: z.array(z.string()),
  context_tokens: z.number().int(),
  tokens: z.object({ input: z.number().int(), output: z.number().int() }),
  created_at: z.string(),
  updated_at: z.string(),
});
export type AssistantStatus = z.infer<typeof assistantStatusSchema>;

/** The events of the stream of a session's assistant, by name. */
const ofTurn = { turn: z.number().int() };
export const assistantEventSchemas = {
  /** A part of the answer. Keep the text received for this step up to `at`, and append `text`. */
  text: z.object({ ...ofTurn, step: z.number().int(), at: z.number().int(), text: z.string() }),
  /** A call of a tool, when it begins and when it ends. */
  call: z.object({ ...ofTurn, number: z.number().int(), ...callViewSchema.shape }),
  /** An operation that the turn started, with its open question, or in the state `preparing`. */
  question: z.object({ ...ofTurn, status: bulkStatusSchema }),
  /** The end of a turn. */
  turn: turnViewSchema,
};
export type AssistantEvent = {
  [K in keyof typeof assistantEventSchemas]: {
    event: K;
    data: z.infer<(typeof assistantEventSchemas)[K]>;
  };
}[keyof typeof assistantEventSchemas];

export const noModel = () =>
  new BatchgateError(
    'NOT_CONFIGURED',
    'The assistant needs a model, and none is configured.',
    'Set BATCHGATE_MODEL_BASE_URL and BATCHGATE_MODEL_NAME (and BATCHGATE_MODEL_API_KEY) where the worker and the HTTP API run, or BATCHGATE_MODEL_NAME=demo to try it without a key.',
  );

/** The heartbeat of a model call: the text so far of this turn's step. */
export const streamedSchema = z.object({ turn: z.number(), step: z.number(), text: z.string() });
export type Streamed = z.infer<typeof streamedSchema>;

export interface HearInput {
  session_id: string;
  profile?: string;
  turn: number;
  /** Absent if the turn is about the end of an operation; then `notice` is set. */
  text?: string;
  notice?: string;
  /** The time zone of the latest message's sender. */
  zone?: string;
}
export interface Heard {
  limits: TurnLimits;
  entry: Entry;
}

export interface ThinkInput {
  turn: number;
  step: number;
  entries: readonly Entry[];
  /** The categories whose tools the model has; empty before it chooses. */
  categories: readonly string[];
  /** The role of the caller, which limits the tools too. */
  role?: Role | undefined;
}
export interface Thought {
  text: string;
  calls: ModelCall[];
  /** The tokens of the entry that the answer becomes. */
  tokens: number;
  used: { input: number; output: number };
}

export interface UseInput {
  session_id: string;
  call: Pick<ModelCall, 'tool' | 'args' | 'unreadable'>;
  categories: readonly string[];
  role?: Role | undefined;
  output_tokens: number;
  output_bytes: number;
  idempotency_key: string;
  run_id: string;
  profile?: string;
}
/** The details of a failed call that the next decision depends on. */
export interface CallFailure {
  scenario: string;
  said: string;
  /** The tool to use instead. */
  fallback?: { tool: string; category: string; traits: { read_only: boolean; idempotent: boolean } };
  outcome_unknown?: true;
  /** The scratchpad key of a missing `ref:`. */
  ref?: string;
}
export interface Used {
  output: Json;
  tokens: number;
  failure?: CallFailure;
  /** The operation that the call started, if it has not ended. */
  operation?: string;
  /** The macro that the call proposed, and the question about it. */
  proposal?: Proposal;
}
export interface Proposal {
  run_id: string;
  question: string;
  /** The digest of the question. An answer repeats it as `seen`. */
  digest: string;
}

export interface CondenseInput {
  session_id: string;
  turn: number;
  step: number;
  entries: readonly Entry[];
  limit_tokens: number;
}
export interface Condensed {
  entry: Entry;
  used: { input: number; output: number };
}

/** The effects of an assistant. */
export interface AssistantActivities {
  hear(input: HearInput): Promise<Heard>;
  think(input: ThinkInput): Promise<Thought>;
  useTool(input: UseInput): Promise<Used>;
  condense(input: CondenseInput): Promise<Condensed>;
  /** Waits for the end of a macro that was proposed, and returns its result. */
  awaitProposal(input: { run_id: string }): Promise<string>;
  /** Drops a proposal without an answer. */
  expireProposal(input: { run_id: string }): Promise<void>;
}

/** An operation that an assistant started has ended. */
export type Outcome = Pick<BulkTurn, 'operation_id'> & { sentence: string };
