import type { Client } from '@temporalio/client';
import { BatchgateError, type ErrorBody } from '../contract/errors';
import type { Json } from '../contract/macro';
import type { MacroQuestion, MacroTurn } from '../contract/macro-run';
import { jsonOrText } from '../core/shared/json';
import type { SeenGate } from '../core/intent/conversation';
import { answerMacro, getMacroTurn } from './macros';
import { forPerson } from '../core/shared/agent-errors';

interface AnsweredTurn {
  handled: true;
  intent: 'unknown';
  reply: string;
  asked?: SeenGate;
  macro: MacroTurn;
  error?: ErrorBody;
}

/** Returns the `seen` of a message that answers a macro's question. */
export const macroQuestionSeen = (runId: string, { number }: Pick<MacroQuestion, 'number'>): SeenGate => ({
  digest: `${runId}#${number}`,
});

/**
 * Handles a message in a session whose macro asks a person. The message answers the open question. If the person was
 * shown another question, the open one is shown first. Returns undefined if the macro has no open question.
 */
export async function answerByMessage(
  client: Client,
  runId: string,
  text: string,
  { seen, by, again }: { seen?: SeenGate; by?: string; again: boolean },
): Promise<AnsweredTurn | undefined> {
  const macro = await getMacroTurn(client, runId);
  const [question, ...more] = macro.questions ?? [];
  if (again) return turnOf(macro, questionText(macro));
  if (question === undefined) return undefined;
  if (more.length > 0) return turnOf(macro, severalText(macro));
  const here = macroQuestionSeen(runId, question);
  if (seen && seen.digest !== here.digest) return { ...turnOf(macro, questionText(macro)), asked: here };
  try {
    // A question with a schema takes JSON; other text is taken as a string.
    const answer = question.output_schema ? (jsonOrText(text) as Json) : text;
    const after = await answerMacro(client, runId, { answer, question: question.number, ...(by && { by }) });
    const [next] = after.questions ?? [];
    const reply = [`Answered question ${question.number} of ${macro.macro}.`, questionText(after)];
    return {
      ...turnOf(after, reply.filter(Boolean).join('\n')),
      ...(next && { asked: macroQuestionSeen(runId, next) }),
    };
  } catch (error) {
    if (!(error instanceof BatchgateError) || error.code === 'TEMPORAL_UNAVAILABLE') throw error;
    return { ...turnOf(macro, forPerson(error)), error: error.body, asked: here };
  }
}

const turnOf = (macro: MacroTurn, reply: string): AnsweredTurn => ({
  handled: true,
  intent: 'unknown',
  reply,
  macro,
});

const questionText = ({ questions = [] }: MacroTurn): string =>
  questions.map(({ prompt }) => prompt).join('\n');

const severalText = ({ run_id, questions = [] }: MacroTurn): string =>
  [
    `The macro asks ${questions.length} questions. Answer each by its number:`,
    ...questions.map(
      ({ number, prompt }) => `${prompt} — npx batchgate macro answer ${run_id} --question ${number} "…"`,
    ),
  ].join('\n');
