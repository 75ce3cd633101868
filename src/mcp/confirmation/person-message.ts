import type { BulkStatus } from '../../contract/operation';
import { askBack, type Pending } from '../../core/intent/asking-back';
import { judgeMessage, noteOf, type Heard, type Move } from '../../core/intent/conversation';

/** The reaction to a person's message that an agent passes on. */
export type PassedOn = Extract<Move, { kind: 'continue' | 'cancel' | 'revise' | 'reply' }>;
export type Reply = Extract<Move, { kind: 'reply' }>;

/**
 * Judges a message by the rule of conversations. An agent passes on answers to the open question, so a message about
 * anything else is asked back. An earlier limit of the batch holds on.
 */
export function judgePassedOn(status: BulkStatus, message: Heard): PassedOn {
  const move = judgeMessage(status, message);
  switch (move.kind) {
    case 'continue':
    case 'cancel':
    case 'revise':
    case 'reply':
      return move;
    default: {
      const pending: Pending = move.kind === 'apart' ? move : (noteOf(status, message) ?? {});
      const { exclude, limited, not_before } = pending;
      const reply = askBack(status, pending);
      return { kind: 'reply', reply, said: 'asked', exclude, limited, not_before };
    }
  }
}

/** The sentence about a message that decides nothing. */
export const NOT_YET = 'That does not decide it yet, and nothing ran.';
const STILL_WAITS = 'The person does not want it now. Nothing ran, and the question stays open.';

/** The sentence for the agent. A reply with texts by other people, such as names of items, is in the data only. */
export function sentenceOf(status: BulkStatus, reply: Reply): string {
  if (reply.said === 'waits') return STILL_WAITS;
  const isOwn = reply.exclude === undefined && reply.reply === askBack(status, reply);
  return isOwn
    ? `${NOT_YET} Ask the person this, word for word, and pass on what they answer: ${reply.reply.replaceAll('\n', ' ')}`
    : `${NOT_YET} Give the person the text in \`reply\`, word for word, and pass on what they answer.`;
}
