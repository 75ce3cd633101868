import { plainWords } from '../../src/core/intent/classifier';
import { placesOf, readExclusion, readQuestion, type Question } from '../../src/core/intent/questions';
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

describe('an exclusion', () => {
  const items = [
    { id: 'm 1', name: 'bob' },
    { id: 'm 2', name: 'anna smith' },
    { id: 'm 3', name: 'anna jones' },
    { id: 'm 4', name: 'tom and jerry' },
    { id: 'item 009', name: 'item 9' },
  ];
  const places = (message: string) => {
    const named = readExclusion(plainWords(message));
    return named === undefined ? undefined : placesOf(named, items);
  };

  it.each<[string, number[]]>([
    ['skip Bob and continue', [0]],
    ['skip the second one and continue', [1]],
    ['continue but skip Bob', [0]],
    ['continue without the last one', [4]],
    ['yes, but not Bob', [0]],
    ['go ahead except for Anna Jones', [2]],
    ['skip Jones', [2]],
    ['please skip Bob and Anna Smith', [0, 1]],
    ['leave Bob out and continue', [0]],
    ['all but the first', [0]],
    ['everything except m-2', [1]],
    ['skip Tom and Jerry', [3]],
    ['skip item 9', [4]],
    ['skip item 2', [1]],
    ['skip number 3 and go ahead', [2]],
    ['skip the 2nd and the 4th', [1, 3]],
  ])('names its items: %s', (message, found) => {
    expect(places(message)).toEqual(found);
  });

  it('is not guessed if a name matches no item, or more than one', () => {
    expect(
      ['skip Anna', 'skip Carl', 'skip the ninth', 'skip Bob and Carl', 'skip two of them'].map(places),
    ).toEqual(Array(5).fill(undefined));
  });

  it('is not read from a plain answer, or from an unrelated request', () => {
    const others = [...Object.values(CONTINUES).flat(), ...UNRELATED];
    expect(others.filter((message) => readExclusion(plainWords(message)) !== undefined)).toEqual([]);
  });
});
