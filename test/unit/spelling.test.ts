import { judgeMessage } from '../../src/core/intent/conversation';
import { asSpelt } from '../../src/core/intent/spelling';
import { statusOf } from '../../src/core/bulk/view';
import { list } from './intent.table';
import { planned } from './lifecycle.fixtures';

const status = statusOf(planned(50));
const kindOf = (text: string) => judgeMessage(status, { text }).kind;

it.each([
  ['pls contiune', 'pls continue'],
  ['stpo. CANCLE it', 'stop. cancel it'],
  ['udno teh last bacth', 'undo the last batch'],
  ['evrything but number 3', 'everything but number 3'],
  ['olny the frist', 'only the frist'],
  ['whats the progres?', 'whats the progress?'],
  ['wiat, retrry tomorow', 'wait, retry tomorrow'],
])('reads %j as %j', (text, meant) => {
  expect(asSpelt(text)).toBe(meant);
});

it('leaves words of their own, names, addresses and ids as they are', () => {
  const texts = list(`
    cancer charges | my chance | a statue | quiet | wit and sip | stopp | continuo | confira a lista | ont été
    contiune@example.com | contiune-2 | "contiune" | x_stpo | cоntinue`);
  expect(texts.filter((text) => asSpelt(text) !== text)).toEqual([]);
  expect(asSpelt('contiune', new Set(['contiune']))).toBe('contiune');
});

it('confirms and cancels with a slip, and drops no limit or negation for it', () => {
  expect(list('contiune | pls procced | yes, confrim | aprove').map(kindOf)).toEqual(
    Array(4).fill('continue'),
  );
  const limited = list(`
    contiune withuot the first | olny contiune | nto contiune | dont contiune yet | contiune excpet 3
    contiune unles Bob objects | contiune but nto the last | nevre contiune | contiune tomorow`);
  expect(limited.filter((text) => kindOf(text) === 'continue')).toEqual([]);
});
