import { BatchgateError } from '../../contract/errors';
import type { Macro, MacroInput, Step, Variables } from '../../contract/macro';
import type { MacroResult } from '../../contract/macro-run';
import { jsonLine, nameText, quoted } from '../shared/plain-text';
import { without } from '../shared/without';
import { outlineOf } from './outline';
import { PROMPT_SHOWN } from './questions';

export const PROPOSE_TOOL = 'propose_macro';

const PREFIX = 'proposal-';
const MAX_NAME = 150 - PREFIX.length;
const RUN = ['run', 'Run', 'yes', 'Yes'];
const DROP = ['no', 'No', 'cancel', 'Cancel'];
/** The answer for a proposal that was not answered. */
export const EXPIRED = 'expired';

/**
 * A macro that shows another one to a person, and calls it if they agree. The shown text is a variable, so that nothing
 * in it is parsed as a template. Macros of macros_dir that the other one calls are shown by name and arguments.
 * @throws BatchgateError `INVALID_INPUT` for a macro that a question cannot show whole.
 */
export function proposalOf(macro: Macro, args: Variables, runId: string): MacroInput {
  const { name } = macro;
  if (name.length > MAX_NAME) throw unfit(`its name has more than ${MAX_NAME} characters`, 'Shorten it.');
  if (JSON.stringify(args).includes('{{'))
    throw unfit('its args hold a template', 'Give plain values; templates belong in its steps.');
  const proposal = proposalText(macro, args, runId);
  if (proposal.length > PROMPT_SHOWN)
    throw unfit(
      `its text has ${proposal.length} characters, and a person is shown ${PROMPT_SHOWN}`,
      'Propose fewer steps, and refer to large data by ref:KEY.',
    );
  const steps: Step[] = [
    {
      ...{ type: 'ask', of: 'person', prompt: '{{.proposal}}', output_variable: 'answer' },
      output_schema: { type: 'string', enum: [...RUN, ...DROP, EXPIRED] },
    },
    {
      ...{ type: 'if', condition: `answer in ${JSON.stringify(RUN)}` },
      then: [{ type: 'macro', macro_name: name, macro_args: args, output_variable: 'result' }],
    },
  ];
  const asking: Macro = { name: `${PREFIX}${name}`, parameters: ['proposal'], steps };
  return { macro: asking, macros: { [name]: macro }, args: { proposal } };
}

const unfit = (why: string, hint: string) =>
  new BatchgateError('INVALID_INPUT', `The macro cannot be proposed: ${why}.`, hint);

/** The text of a proposal. Contains the whole macro, because a person can only agree to what they were shown. */
function proposalText(macro: Macro, args: Variables, runId: string): string {
  const { name, description, database, steps } = macro;
  return [
    `The assistant proposes to run the macro ${quoted(name)}. Nothing has run.`,
    ...(description === undefined ? [] : [`It says of itself: ${quoted(description)}`]),
    ...(Object.keys(args).length === 0 ? [] : [`args ${jsonLine(args)}`]),
    ...(database === undefined ? [] : [`database ${nameText(database)}, all in one transaction`]),
    'steps',
    ...outlineOf(steps, 1, fieldsOf),
    'A bulk operation in it asks you before each batch.',
    `To keep it as a file: npx batchgate macro show ${runId} --json > ${name}.json`,
    "Say 'run' to run it, or 'no' to drop it.",
  ].join('\n');
}

/** The fields that the step's own line does not show. */
function fieldsOf(step: Step): string {
  const fields = step as unknown as Record<string, unknown>;
  const own = without(fields, 'type', 'is_async', 'continue_on_error', 'steps', 'then', 'else');
  return Object.keys(own).length === 0 ? '' : ` ${jsonLine(own)}`;
}

/** The macro that such a run proposes; undefined for any other run. */
export function proposedIn({ macro, macros = {} }: MacroInput): Macro | undefined {
  if (typeof macro === 'string' || !macro.name.startsWith(PREFIX)) return undefined;
  return macros[macro.name.slice(PREFIX.length)];
}

/** The result of the macro for a model, without any output of its steps. */
export function proposalOutcome({ state, variables, error }: MacroResult): string {
  if (state !== 'completed')
    return `${state}${error ? ` (${error.code})` : ''}. get_macro_run has its steps.`;
  const { answer } = variables;
  if (RUN.some((word) => word === answer)) return 'it was run to its end. get_macro_run has its variables.';
  return answer === EXPIRED
    ? 'nobody answered in time, and nothing was run.'
    : 'the person dropped it, and nothing was run.';
}
