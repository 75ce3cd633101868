import { plainWords } from '../../src/core/intent/classifier';
import { readQuestion, type Question } from '../../src/core/intent/questions';
import { CANCELS, CONTINUES, UNRELATED } from './intent.table';

const ASKED: Record<Question, string[]> = {
  items: [
    'which ones?',
    'Which emails?',
    'which items are in the batch?',
    "what's in the batch?",
    "what's in the next batch",
    'show me the items',
    'show them',
    'list the emails',
    'show me',
    'which are they?',
    'what are the items?',
    'can you show me the list first?',
    'what is next?',
    'ok, which ones?',
  ],
  left: [
    'how many are left?',
    'how many left',
    'how many items are left?',
    'how many more?',
    'how many remain?',
    'how much is left?',
    "what's left?",
    'how many emails are still to go?',
    'how many are done?',
    'how many batches are left?',
  ],
  change: [
    'what label?',
    'which label is it?',
    'what label exactly?',
    'what will you do?',
    'what exactly will you do?'.replace(' exactly', ''),
    'what are you going to do?',
    'what happens if I continue?',
    'what will happen?',
    'what is the change?',
    'show me the change',
    'what does this operation do?',
    'what would continue do?',
    'what am I confirming?',
    'which folder?',
  ],
  take_back: [
    'undo',
    'undo that',
    'please undo it',
    'roll it back',
    'revert the last operation',
    'put everything back',
    'revert',
    'undo the last batch',
    'undo batch 1',
    'take back what you did',
  ],
  undo: ['can I undo it?', 'can it be undone?', 'is it reversible?', 'can this be reverted later?'],
  errors: [
    'show the errors',
    'show me the errors',
    'errors?',
    'any errors?',
    'were there any errors?',
    'what went wrong?',
    'which ones failed?',
    'what failed?',
    'list the failed items',
    'what are the errors?',
    'why did it fail?',
    'why did the batch fail?',
    'why did the last batch stop?',
    'what happened?',
    'what is the reason?',
    'which ones are in doubt?',
    'did anything fail?',
  ],
  status: [
    'how is it going?',
    "how's it going?",
    'status',
    'status?',
    'progress',
    "what's the status?",
    'how far are you?',
    'where are we?',
    'how far along is it?',
    'how far have you come?',
    'is it done?',
    'show me the progress',
  ],
  confirmations: [
    'who confirmed?',
    'who confirmed it?',
    'who approved that?',
    'who has confirmed?',
    'who said yes?',
  ],
  retry: [
    'retry the failed ones',
    'retry the failed items',
    'please retry the failed emails',
    'try the failed ones again',
    'retry failed',
    'redo the failed ones',
    'retry the errors',
  ],
};

describe('a question about the operation', () => {
  it.each(Object.entries(ASKED))('is recognised: %s', (question, messages) => {
    expect(messages.filter((message) => readQuestion(plainWords(message)) !== question)).toEqual([]);
  });

  it('is neither a plain answer nor an unrelated request', () => {
    const others = [...Object.values(CONTINUES).flat(), ...Object.values(CANCELS).flat(), ...UNRELATED];
    expect(others.filter((message) => readQuestion(plainWords(message)) !== undefined)).toEqual([]);
  });
});
