import { z } from 'zod';
import { BatchgateError, describeIssues } from '../../contract/errors';
import type { Json } from '../../contract/macro';
import type { AnswerRequest, MacroQuestion } from '../../contract/macro-run';
import { iso } from '../bulk/view';
import type { Machine, Question, Thread } from './machine-state';
import { shortened } from '../../contract/text';

/** The length of a prompt in lists and statuses, enough for a person. */
export const PROMPT_SHOWN = 2_000;

interface Open {
  number: number;
  question: Question;
}

const openIn = (machine: Machine): Open[] =>
  Object.values(machine.threads)
    .flatMap(({ pending, unwinding }: Thread) =>
      pending?.question && pending.question.answer === undefined && !unwinding
        ? [{ number: pending.step, question: pending.question }]
        : [],
    )
    .sort((a, b) => a.number - b.number);

/** The questions that wait for a person. */
export function openQuestions(machine: Machine): MacroQuestion[] {
  return openIn(machine).map(({ number, question: { prompt, output_schema, asked_at } }) => ({
    number,
    prompt: shortened(prompt, PROMPT_SHOWN),
    ...(output_schema && { output_schema }),
    asked_at: iso(asked_at),
  }));
}

/**
 * Finds the question that an answer is for, and validates the answer against its schema.
 * @throws BatchgateError `NOT_AWAITING_CONFIRMATION` if none is open, `INVALID_INPUT` if the answer fits none.
 */
export function readAnswer(
  machine: Machine | undefined,
  { answer, question: number }: AnswerRequest,
): { question: Question; value: Json } {
  const open = machine ? openIn(machine) : [];
  const [first, second] = number === undefined ? open : open.filter((entry) => entry.number === number);
  if (first === undefined)
    throw new BatchgateError(
      'NOT_AWAITING_CONFIRMATION',
      open.length === 0 ? 'The macro asks nothing now.' : `Question ${number} is not open.`,
      'Look at its status for the questions that are open.',
    );
  if (second)
    throw new BatchgateError(
      'INVALID_INPUT',
      `The macro asks ${open.length} questions, and the answer names none of them.`,
      `Name one by --question: ${open.map((entry) => entry.number).join(', ')}.`,
    );
  return { question: first.question, value: fitting(first.question, answer) };
}

function fitting({ output_schema }: Question, answer: Json): Json {
  if (output_schema === undefined) {
    if (typeof answer === 'string') return answer;
    throw new BatchgateError('INVALID_INPUT', 'The answer is not a text.', 'Enclose the value in quotes.');
  }
  const parsed = z.fromJSONSchema(output_schema).safeParse(answer);
  if (parsed.success) return parsed.data as Json;
  throw new BatchgateError(
    'INVALID_INPUT',
    `The answer does not fit what was asked for: ${describeIssues(parsed.error)}.`,
    'Answer with JSON that fits the output_schema of the question.',
  );
}
