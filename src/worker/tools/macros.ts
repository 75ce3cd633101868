import { z } from 'zod';
import { awaitMacro, getMacroTrace, startMacro } from '../../client/macros';
import { macroQuestionSeen } from '../../client/macro-answers';
import { STEP_TYPES } from '../../contract/macro';
import { upTo } from '../../contract/text';
import { defineTool, type ToolDefinition } from '../../contract/tools';
import { MAY } from '../../core/access/permissions';
import { mistakesError, parseMacro } from '../../core/macro/parse';
import { proposalOf, PROPOSE_TOOL } from '../../core/macro/proposal';
import { startedBy } from '../../core/shared/canonical';
import { isEnded } from '../../core/macro/view';
import { asked, type CommandServices } from './commands';

const ofMacros = { category: 'macros', transactional: false, callers: ['assistant'] } as const;

/** Proposes a macro to a person, and shows its run. No tool answers the question: only a person does. */
export function createMacroTools(door: () => CommandServices): ToolDefinition[] {
  return [proposeTool(door), runTool(door)];
}

function proposeTool(door: () => CommandServices): ToolDefinition {
  return defineTool({
    ...{ ...ofMacros, name: PROPOSE_TOOL, read_only: false, idempotent: true, roles: MAY.start.roles },
    description:
      'Shows a macro, a script of steps, to the person, who decides whether it runs. Nothing runs before. Steps by type: command (command, args, output_variable) calls a tool; set (variable, value or expression); if (condition, then, else); loop (list, iterator, steps); fetch (source, resource, variable); ask (prompt, of, output_variable); macro (macro_name, macro_args); fail (message). Strings are templates as {{.variable}}; conditions and expressions are CEL over variables by name.',
    args: z.strictObject({
      macro: z
        .looseObject({
          name: z.string().describe('Letters, digits, underscore, dot and dash'),
          description: z.string().optional(),
          parameters: z.array(z.string()).optional(),
          database: z.string().optional(),
          steps: z.array(z.looseObject({ type: z.enum(STEP_TYPES) })).min(1),
        })
        .meta({ clamp: 'none' }),
      args: z
        .record(z.string(), z.json())
        .optional()
        .meta({ clamp: 'none' })
        .describe('The arguments of the macro, without templates'),
    }),
    async handler({ macro: given, args = {} }, { idempotency_key, signal, session_id, job, profile }) {
      const { client, taskQueue: task_queue } = door();
      const parsed = parseMacro(given, 'macro');
      if ('mistakes' in parsed) throw mistakesError(parsed.mistakes);
      const run_id = startedBy('macro', idempotency_key);
      const input = {
        ...{ ...proposalOf(parsed.macro, args, run_id), by_agent: true as const },
        ...(session_id !== undefined && { session_id }),
        ...(profile !== undefined && { profile }),
      };
      const options = { run_id, task_queue, ...(job && { parent: job }) };
      return client.withAbortSignal(signal, async () => {
        await startMacro(client, input, options);
        // The first step asks; a run counts its steps from 1.
        const { digest } = macroQuestionSeen(run_id, { number: 1 });
        return { run_id, question: input.args?.['proposal'], digest };
      });
    },
  });
}

function runTool(door: () => CommandServices): ToolDefinition {
  return defineTool({
    ...{ ...ofMacros, name: 'get_macro_run', read_only: true, idempotent: true, roles: MAY.look.roles },
    description: 'Shows the run of a proposed macro: its state, steps and, at its end, its variables.',
    args: z.strictObject({ run_id: upTo(1_000).min(1).describe(`The id returned by ${PROPOSE_TOOL}`) }),
    handler: ({ run_id }, context) =>
      asked(door, context, async (client) => {
        const trace = await getMacroTrace(client, run_id);
        return isEnded(trace) ? { ...trace, variables: (await awaitMacro(client, run_id)).variables } : trace;
      }),
  });
}
