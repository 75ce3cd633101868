import type { PlanInput, PlannedItem } from '../../src/contract/activities';

export const BATCH = 5;

export function plan(operation_id: string): PlanInput {
  return {
    operation_id,
    run_id: `run-of-${operation_id}`,
    session_id: 'session-1',
    requested_by: 'ana',
    context: { tool_name: 'gmail', action: 'label', query_params: {}, action_params: {} },
    noun: { one: 'email', many: 'emails' },
    change: { summary: 'Add the label “Later”.', fields: [], reversible: 'yes' },
    change_params: { label_name: 'Later' },
    metadata: { because: 'a test' },
    batch_size: BATCH,
    terms: { idle_timeout_seconds: 60 },
    max_total_items: 10_000,
  };
}

export function plannedItems(count: number): PlannedItem[] {
  return Array.from({ length: count }, (_, index) => ({
    index,
    id: `m${index}`,
    display_name: `Message ${index}`,
  }));
}
