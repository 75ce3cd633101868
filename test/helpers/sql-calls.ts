import { awaitMacro, getMacroTrace } from '../../src/client';
import type { Json, Step, Variables } from '../../src/contract/macro';
import { command, type TransactionStage } from './transaction-stage';

/** A call of a database tool. */
export type Call = readonly [tool: string, args: Variables];

export const CONTINUES = { continue_on_error: true };

/** Calls database tools by macros. A transaction takes eight workflow tasks, so tests have few of them. */
export function sqlCalls(stage: TransactionStage) {
  /** Makes these calls in one transaction, and returns their answers. */
  async function answers(...calls: Call[]): Promise<(Json | undefined)[]> {
    const ended = await stage.onUsers(
      calls.map(([tool, args], at) => command(tool, args, { output_variable: `it${at}` })),
    );
    expect(ended.error).toBeUndefined();
    return calls.map((_call, at) => ended.variables[`it${at}`]);
  }

  /** Runs these steps in one transaction, and returns the errors of those with `continue_on_error`. */
  async function errorsOf(steps: Step[]) {
    const { client } = stage.harness;
    const { run_id } = await stage.begin({ database: 'users_db', steps });
    expect(await awaitMacro(client, run_id)).toMatchObject({ state: 'completed' });
    const trace = await getMacroTrace(client, run_id);
    const continuing = trace.steps.filter((_step, at) => 'continue_on_error' in (steps[at] ?? {}));
    return continuing.map(({ error }) => error);
  }

  return {
    answers,
    answer: async (...call: Call) => (await answers(call))[0],
    errorsOf,
    /** The message with which a macro that makes only this call fails. */
    refusal: async (...[tool, args]: Call) => (await stage.onUsers([command(tool, args)])).error?.message,
    /** The messages of these calls in one transaction, each of which is refused. */
    refusals: async (...calls: Call[]) => {
      const errors = await errorsOf(calls.map(([tool, args]) => command(tool, args, CONTINUES)));
      return errors.map((error) => error?.message);
    },
  };
}
