import { BatchgateError } from '../../contract/errors';
import type { ParameterScenario } from '../../contract/mistakes';

const GATEWAY = '[GATEWAY ERROR]';
const TOOL = '[TOOL ERROR]';

/** The published errors and hints, word for word (specification G6 and G7). */
const FAILURES = {
  missing_parameter: [GATEWAY, '[HINT]: This field is mandatory.'],
  type_mismatch_string: [GATEWAY, '[HINT]: Enclose the value in quotes.'],
  type_mismatch_array: [GATEWAY, '[HINT]: Use [item1, item2] format.'],
  reference_missing: [
    GATEWAY,
    "[HINT]: Save data to scratchpad first or check if you used the correct 'ref:key'.",
  ],
  tool_not_found: [
    GATEWAY,
    '[HINT]: Verify the tool name or check if the required category was requested during meta-routing.',
  ],
  execution_failure: [TOOL, '[HINT]: Check if parameters are correct or try an alternative tool.'],
  undefined_tool: [TOOL, '[HINT]: Use only tools available in your schema.'],
} as const;

/** Scenarios beside the published ones (specification G7), in the same form. */
const FURTHER = {
  type_mismatch_number: [GATEWAY, '[HINT]: Give a number without quotes.'],
  type_mismatch_boolean: [GATEWAY, '[HINT]: Use true or false, without quotes.'],
  type_mismatch_object: [GATEWAY, '[HINT]: Use {"field": value} format.'],
  unknown_parameter: [GATEWAY, "[HINT]: Use only the fields of the tool's schema."],
  invalid_value: [GATEWAY, "[HINT]: Correct the named field as the tool's schema says."],
  too_long: [GATEWAY, '[HINT]: Shorten it; long text belongs in the scratchpad or in a field for text.'],
  arguments_unreadable: [
    GATEWAY,
    '[HINT]: Send a JSON object of at most 64 levels, without a field named __proto__.',
  ],
  reference_unfit: [
    GATEWAY,
    "[HINT]: Check what was saved under this 'ref:key'; where a key itself is wanted, leave 'ref:' away.",
  ],
  reference_too_large: [GATEWAY, '[HINT]: Refer to less data in one call, or save it in smaller parts.'],
  transaction_missing: [
    GATEWAY,
    '[HINT]: Give the macro a database; in parallel or after a rollback, begin with manage_transaction.',
  ],
  needs_a_person: [
    TOOL,
    '[HINT]: Propose it with propose_macro, or start a bulk operation: a person decides about either.',
  ],
  outcome_unknown: [TOOL, '[HINT]: Look at what it may have changed before it is called again.'],
  result_unfit: [TOOL, '[HINT]: Try an alternative tool, and report this to the maintainer of this one.'],
} as const;

const ALL = { ...FAILURES, ...FURTHER } satisfies Record<ParameterScenario, readonly [string, string]>;
export type Scenario = keyof typeof ALL;

/** The hint, without the tag. */
export const hintOf = (scenario: Scenario): string => ALL[scenario][1].replace('[HINT]: ', '');

/** The hint for the scenario that an error's details name. */
export function scenarioHint(details: unknown): string | undefined {
  const { scenario } = (details ?? {}) as { scenario?: unknown };
  return typeof scenario === 'string' && Object.hasOwn(ALL, scenario)
    ? hintOf(scenario as Scenario)
    : undefined;
}

/** `TOOL_FAILED` with the scenario's prefix and hint; `message` names the tool and holds none of its data. */
export function toolFailure(
  scenario: Scenario,
  message: string,
  details: Record<string, unknown> = {},
): BatchgateError {
  const [prefix, hint] = ALL[scenario];
  return new BatchgateError('TOOL_FAILED', `${prefix} ${message}`, hint, { scenario, ...details });
}

export const unreadableArguments = (tool: string): BatchgateError =>
  toolFailure('arguments_unreadable', `${tool}: its arguments are not a JSON object.`, { tool });

/** The failure of a call whose effect is unknown. `message` names the tool and holds none of its data. */
export const inDoubt = (
  tool: string,
  message: string,
  details: Record<string, unknown> = {},
): BatchgateError => toolFailure('outcome_unknown', message, { tool, outcome_unknown: true, ...details });

/** Whether a call that was made and failed may have left a change; a transaction is rolled back. */
export const mayHaveChanged = (tool: Record<'read_only' | 'transactional', boolean>): boolean =>
  !tool.read_only && !tool.transactional;
