/** The comparison of a condition in words, by its operator. */
export const COMPARISONS = {
  '=': 'is',
  '!=': 'is not',
  '<': 'is less than',
  '<=': 'is at most',
  '>': 'is more than',
  '>=': 'is at least',
  in: 'is one of',
  not_in: 'is none of',
  like: 'fits the pattern',
  ilike: 'fits the pattern, in any case',
  is_null: 'has no value',
  is_not_null: 'has a value',
};
