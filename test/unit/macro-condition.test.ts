import { checkCondition, ConditionError, holds } from '../../src/core/macro/condition';

const variables = {
  n: 2,
  price: 10.5,
  flag: true,
  word: 'false',
  user: { name: 'Ana', tags: ['a', 'b'], gone: null },
  rows: [1, 2, 3],
};

it.each([
  ['n == 2', true],
  ['n + 1 > 2', true],
  ['n % 2 == 0', true],
  ['price * 2 == 21', true],
  ['2 * price > n - 1', true],
  ['flag', true],
  ['!flag', false],
  ['word == "false"', true],
  ['user.name.startsWith("A") && "a" in user.tags', true],
  ['size(rows) == 3 && rows[0] == 1', true],
  ['rows.exists(r, r > n)', true],
  ['has(user.age) && user.age > 3', false],
  ['user.gone == null', true],
])('%s is %s', (condition, expected) => expect(holds(condition, variables)).toBe(expected));

it.each([
  ['word', 'a string'],
  ['n', 'not a boolean'],
  ['user.age > 3', 'No such key: age'],
  ['nobody == 1', 'Unknown variable: nobody'],
  ['constructor == 1', 'Unknown variable: constructor'],
  ['user.constructor == 1', 'No such key: constructor'],
  ['rows.length > 1', 'No such key: length'],
  ['n + "x" == "2x"', 'no such overload'],
  ['n >', 'Unexpected token'],
  ['word.matches("^(a+)+$")', 'regular expression'],
])('%s fails: %s', (condition, why) => {
  expect(() => holds(condition, variables)).toThrow(ConditionError);
  expect(() => holds(condition, variables)).toThrow(why);
});

it('evaluates nested lists as long as that takes negligible time', () => {
  const rows = Array.from({ length: 1_001 }, (_, at) => ({ n: at, parts: [at] }));
  expect(holds('rows.exists(r, r.n > 5 && r.parts.all(p, p > 5))', { rows: rows.slice(0, 900) })).toBe(true);
  expect(holds('rows.all(r, r.n >= 0) && rows.exists(r, r.n == 1000)', { rows })).toBe(true);
  expect(() => holds('rows.all(r, rows.exists(q, q.n == r.n))', { rows })).toThrow('nested long lists');
});

it.each([
  ['total > 3', undefined],
  ['total > 3 && other', 'Unknown variable: other'],
  ['total >', 'is not valid CEL'],
  ['total + 1', undefined],
  ['"text"', 'is string'],
  ['rows.all(r, r.ok && total > r.n)', undefined],
  ['list == [1]', 'is a type of CEL'],
  ['total == "" || text.matches("a")', 'regular expression'],
])('before anything runs, %s has the mistake %s', (condition, mistake) => {
  const found = checkCondition(condition, ['total', 'rows', 'text', 'list']);
  if (mistake === undefined) expect(found).toBeUndefined();
  else expect(found?.message).toContain(mistake);
});
