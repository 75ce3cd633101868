import { z } from 'zod';
import { idSchema } from './text';

interface Field {
  /** The name of the setting in the specification (P1). */
  readonly label: string;
  readonly purpose: string;
  readonly min: number;
  readonly max: number;
  readonly default: number;
  /** The part of the product that reads the setting. */
  readonly used_by: 'gateway' | 'macros, assistant' | 'hygiene, assistant' | 'assistant';
}

/**
 * The operational settings matrix (specification P1). The gateway counts four characters as one token. The largest tool
 * output is 400 KB, well within Temporal's payload limit of 2 MB.
 */
export const PROFILE_FIELDS = {
  op_user_input_limit_tokens: {
    label: 'Input Gatekeeper',
    purpose: 'Input Guard: scratchpad threshold',
    ...{ min: 100, max: 1_000_000, default: 4_000, used_by: 'assistant' },
  },
  op_context_limit_tokens: {
    label: 'Context Buffer',
    purpose: 'History Guard: map-reduce threshold',
    ...{ min: 1_000, max: 2_000_000, default: 32_000, used_by: 'assistant' },
  },
  op_tool_output_limit_tokens: {
    label: 'Tool Compression',
    purpose: 'Output Guard: tool result clamping',
    ...{ min: 100, max: 100_000, default: 4_000, used_by: 'gateway' },
  },
  op_max_steps: {
    label: 'Max Iterations',
    purpose: 'Step Guard: ReAct loop limit',
    ...{ min: 1, max: 100, default: 10, used_by: 'assistant' },
  },
  op_max_tool_calls_per_step: {
    label: 'Tools per Step',
    purpose: 'Concurrency Guard: tools at a time in one step',
    ...{ min: 1, max: 50, default: 10, used_by: 'macros, assistant' },
  },
  op_max_total_tool_calls: {
    label: 'Global Tool Limit',
    purpose: 'Budget Guard: tools in all per request',
    ...{ min: 1, max: 100_000, default: 1_000, used_by: 'macros, assistant' },
  },
  op_idle_threshold_seconds: {
    label: 'Idle Threshold',
    purpose: 'Lifecycle: a session idle for longer loses its scratchpad',
    ...{ min: 1, max: 31_536_000, default: 3_600, used_by: 'hygiene, assistant' },
  },
} as const satisfies Readonly<Record<string, Field>>;

export type ProfileField = keyof typeof PROFILE_FIELDS;
export const PROFILE_FIELD_NAMES = Object.keys(PROFILE_FIELDS) as ProfileField[];

/** The profile for callers that name none, and for hygiene, which serves all sessions. */
export const DEFAULT_PROFILE = 'default';

const bounded = ({ min, max }: Pick<Field, 'min' | 'max'>) => z.number().int().min(min).max(max);
const eachField = <T extends z.ZodType>(make: (field: Field) => T) =>
  Object.fromEntries(PROFILE_FIELD_NAMES.map((name) => [name, make(PROFILE_FIELDS[name])])) as Record<
    ProfileField,
    T
  >;

/** A profile with its effective values. */
export const profileSchema = z.object({ profile: z.string(), ...eachField(bounded) });
export type Profile = z.infer<typeof profileSchema>;

/** The values to change; `null` restores the default. Without any, the profile is only read. */
export const profileChangesSchema = z.strictObject(
  eachField((field) => bounded(field).nullable().optional()),
);
export type ProfileChanges = z.infer<typeof profileChangesSchema>;

/** The argument of the workflow `profile`. */
export const profileRequestSchema = z.strictObject({
  profile: idSchema(150).default(DEFAULT_PROFILE),
  changes: profileChangesSchema.optional(),
});
export type ProfileRequest = z.input<typeof profileRequestSchema>;

export interface ProfileActivities {
  accessProfile(request: ProfileRequest): Promise<Profile>;
}

export interface ProfileStore {
  /** Returns the values that were set. A profile need not be created first. */
  read(profile: string): Promise<ProfileChanges>;
  /** Changes values in one statement, so that concurrent changes of different fields are both kept. */
  change(profile: string, changes: ProfileChanges): Promise<ProfileChanges>;
}
