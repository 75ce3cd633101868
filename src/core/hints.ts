import type { CompletionGuardResult } from '../contract/progress';

/** What to tell an agent that has just attempted something (seed 004). */
export type Hint = NonNullable<CompletionGuardResult['hint']>;

/** One kind of event and its hint. The first row that fits an event words it. */
interface HintRow<Event> {
  fits(event: Event): boolean;
  word(event: Event): Hint;
}

const AFTER_COMPLETION_ATTEMPT: readonly HintRow<CompletionGuardResult>[] = [
  {
    fits: ({ allowed }) => !allowed,
    word: ({ reason, missing_count = 0, suggested_next_action }) => ({
      level: 'warning',
      message: reason ?? 'Completion was attempted too early.',
      missing_count,
      suggested_next_action: suggested_next_action ?? 'Process the remaining items.',
    }),
  },
];

/** The hint after an attempt to call a task complete; none where it may be. */
export function completionHint(guard: CompletionGuardResult): Hint | undefined {
  return firstHint(AFTER_COMPLETION_ATTEMPT, guard);
}

function firstHint<Event>(rows: readonly HintRow<Event>[], event: Event): Hint | undefined {
  return rows.find((row) => row.fits(event))?.word(event);
}
