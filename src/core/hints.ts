import type { CompletionGuardResult } from '../contract/progress';

/** What to tell an agent that has just attempted something (seed 004). */
export type Hint = NonNullable<CompletionGuardResult['hint']>;

/** The hint after an attempt to call a task complete; none where it may be. */
export function completionHint(guard: CompletionGuardResult): Hint | undefined {
  if (guard.allowed) return undefined;
  const { reason, missing_count = 0, suggested_next_action } = guard;
  return {
    level: 'warning',
    message: reason ?? 'Completion was attempted too early.',
    missing_count,
    suggested_next_action: suggested_next_action ?? 'Process the remaining items.',
  };
}

/** The guard's result with the hint that belongs to it. */
export function withHint(guard: CompletionGuardResult): CompletionGuardResult {
  const hint = completionHint(guard);
  return hint ? { ...guard, hint } : guard;
}
