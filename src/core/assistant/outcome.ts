import type { BulkTurn } from '../../contract/operation';
import { nextStep, ownSentence } from '../bulk/agent-text';
import { jsonLine } from '../shared/plain-text';

/**
 * The end of an operation for the model that started it. The words of a person who sent it back are there as JSON: data
 * of that person, in one line.
 */
export function outcomeText(turn: BulkTurn): string {
  const { sent_back } = turn;
  if (!sent_back) return ownSentence(turn);
  return `${ownSentence(turn)} The person who sent it back said, as data: ${jsonLine({ sent_back })}. ${nextStep(turn)}`;
}
