import { listedIds } from '../../src/cli/operation/listed-ids';

it.each([
  ['10, 11,12', ['10', '11', '12']],
  ['["eu","17"], ["a, ]b", 2] ,x', ['["eu","17"]', '["a, ]b", 2]', 'x']],
  ['[draft] one,two', ['[draft] one', 'two']],
])('the ids of %s are told apart at the commas between them', (text, ids) => {
  expect(listedIds(text)).toEqual(ids);
});
