import { Environment, type ASTNode } from '@marcbachmann/cel-js';
import type { Json, Variables } from '../../contract/macro';
import { shortened } from '../../contract/text';
import { costOf, isNode } from './condition-cost';
import type { Meter } from './size';

/** A condition that cannot be evaluated to a boolean. */
export class ConditionError extends Error {
  override readonly name = 'ConditionError';

  constructor(
    message: string,
    readonly hint: string,
  ) {
    super(message);
  }
}

/** The bytes that a condition may read, which takes about a quarter of a second. */
const MAX_CONDITION_COST = 50_000_000;
const LONG_LISTS = {
  message: 'iterates over nested long lists',
  hint: 'Iterate over them in loop steps, or use a tool.',
};
/** The cost of parsing one character of a condition, and of preparing one variable for it. */
const READ_COST = 100;
const LIMITS = { maxAstNodes: 2_000, maxDepth: 50, maxListElements: 1_000, maxMapEntries: 1_000 };
/** Names of types in CEL. As bare names they mean the types, even if a variable has such a name. */
const CEL_NAMES = new Set(
  'bool bytes double dyn google int list map null_type optional string type uint'.split(' '),
);

/**
 * JSON has one kind of number, CEL's double; literals without a point are CEL's int. CEL defines only comparisons
 * between the two, so `n + 1` would fail for every n from data.
 */
function withMixedArithmetic(environment: Environment): Environment {
  const operators: Record<string, (a: number, b: number) => number> = {
    '+': (a, b) => a + b,
    '-': (a, b) => a - b,
    '*': (a, b) => a * b,
    '/': (a, b) => a / b,
  };
  for (const [operator, compute] of Object.entries(operators)) {
    const handler = (a: unknown, b: unknown) => compute(Number(a), Number(b));
    environment.registerOperator(`double ${operator} int`, handler);
    environment.registerOperator(`int ${operator} double`, handler);
  }
  for (const [left, right] of [
    ['double', 'int'],
    ['int', 'double'],
    ['double', 'double'],
  ]) {
    environment.registerOperator(`${left} % ${right}`, (a: unknown, b: unknown) => Number(a) % Number(b));
  }
  // CEL's conversion to the same type: https://github.com/google/cel-spec/blob/master/doc/langdef.md.
  environment.registerFunction(`timestamp(${TIMESTAMP}): ${TIMESTAMP}`, (time: unknown) => time);
  return environment;
}

const TIMESTAMP = 'google.protobuf.Timestamp';

/** JSON's lists and objects contain values of any type, so those that an expression builds may too. */
const OPTIONS = { limits: LIMITS, homogeneousAggregateLiterals: false };
const evaluating = withMixedArithmetic(new Environment({ unlistedVariablesAreDyn: true, ...OPTIONS }));

/**
 * Whether a CEL condition is true for the variables, by bare name and with their types: the string "false" is not a
 * boolean.
 * @throws ConditionError when it fails, or its value is not a boolean.
 */
export function holds(condition: string, variables: Variables, meter: Meter = { cost: 0 }): boolean {
  const value = evaluate(condition, variables, meter);
  if (typeof value === 'boolean') return value;
  throw new ConditionError(
    `The condition \`${excerpt(condition)}\` is ${typeof value === 'string' ? 'a string' : 'not a boolean'}.`,
    'Compare it with something, as in name == "value" or total > 0.',
  );
}

/** Shortens a condition, so that its message has room for the mistake. */
const excerpt = (text: string): string => shortened(text, 200);

function evaluate(condition: string, variables: Variables, meter: Meter): unknown {
  meter.cost += READ_COST * (condition.length + Object.keys(variables).length);
  try {
    const parsed = evaluating.parse(condition);
    const foreign = foreignUse(parsed.ast);
    if (foreign !== undefined)
      throw new ConditionError(`In \`${excerpt(condition)}\`: ${foreign.message}`, foreign.hint);
    const cost = costOf(parsed.ast, variables, meter);
    if (cost > MAX_CONDITION_COST)
      throw new ConditionError(
        `The condition \`${excerpt(condition)}\` ${LONG_LISTS.message}.`,
        LONG_LISTS.hint,
      );
    meter.cost += cost;
    // Without a prototype: inherited members of objects are not variables.
    return parsed(Object.assign(Object.create(null) as Variables, variables));
  } catch (error) {
    if (error instanceof ConditionError) throw error;
    throw new ConditionError(
      `The condition \`${excerpt(condition)}\` failed: ${firstLine(error)}.`,
      'Conditions are CEL over the variables by bare name; guard values that may be missing with has(a.b).',
    );
  }
}

/**
 * The value of a CEL expression as JSON: `n + 1`, `size(rows)`. Whole numbers of CEL become numbers.
 * @throws ConditionError when it fails, or its value does not exist in JSON.
 */
export function compute(expression: string, variables: Variables, meter: Meter = { cost: 0 }): Json {
  return asJson(evaluate(expression, variables, meter), expression);
}

function asJson(value: unknown, expression: string): Json {
  if (typeof value === 'bigint') {
    if (Number.isSafeInteger(Number(value))) return Number(value);
  } else if (typeof value === 'number') {
    if (Number.isFinite(value)) return value;
  } else if (value === null || typeof value === 'string' || typeof value === 'boolean') return value;
  else if (Array.isArray(value)) return value.map((element) => asJson(element, expression));
  else if (value instanceof Map)
    return Object.fromEntries([...value].map(([key, member]) => [String(key), asJson(member, expression)]));
  else if (isPlain(value))
    return Object.fromEntries(
      Object.entries(value).map(([key, member]) => [key, asJson(member, expression)]),
    );
  throw new ConditionError(
    `The value of \`${excerpt(expression)}\` is not JSON.`,
    'Compute a finite number, a text, a boolean, a list or an object.',
  );
}

function isPlain(value: unknown): value is Record<string, unknown> {
  if (typeof value !== 'object' || value === null) return false;
  const prototype: unknown = Object.getPrototypeOf(value);
  return prototype === null || prototype === Object.prototype;
}

interface Wrong {
  message: string;
  hint: string;
}

/** The types of variables in CEL; `dyn` for those that it does not name. */
type Types = Readonly<Record<string, string>>;

/** The mistake in a condition, before anything runs; undefined if there is none. */
export function checkCondition(
  condition: string,
  variables: Iterable<string>,
  types: Types = {},
): Wrong | undefined {
  const checked = check(condition, variables, types);
  if ('wrong' in checked) return checked.wrong;
  if (checked.type === 'bool' || checked.type === 'dyn') return undefined;
  return { message: `is ${checked.type}, not a boolean`, hint: 'Compare it with something.' };
}

/** The mistake in an expression, whose value may be of any type; undefined if there is none. */
export function checkExpression(expression: string, variables: Iterable<string>): Wrong | undefined {
  const checked = check(expression, variables);
  return 'wrong' in checked ? checked.wrong : undefined;
}

function check(
  condition: string,
  variables: Iterable<string>,
  types: Types = {},
): { wrong: Wrong } | { type: string } {
  const environment = withMixedArithmetic(new Environment(OPTIONS));
  for (const name of variables) if (!CEL_NAMES.has(name)) declare(environment, name, types[name]);
  let ast: ASTNode;
  try {
    ({ ast } = environment.parse(condition));
  } catch (error) {
    const message = `is not valid CEL: ${firstLine(error)}`;
    return { wrong: { message, hint: 'Write it like total > 3 && name != "".' } };
  }
  const foreign = foreignUse(ast);
  if (foreign) return { wrong: foreign };
  // Over empty variables: the minimal cost.
  if (costOf(ast, {}, { cost: 0 }) > MAX_CONDITION_COST) return { wrong: LONG_LISTS };
  const checked = environment.check(condition);
  if (checked.valid) return { type: checked.type ?? 'dyn' };
  const message = checked.error ? firstLine(checked.error) : 'does not fit';
  return { wrong: { message, hint: 'Use variables set by earlier steps, or parameters of the macro.' } };
}

function declare(environment: Environment, name: string, type = 'dyn'): void {
  try {
    environment.registerVariable(name, type);
  } catch {
    // A reserved word of CEL: a condition that uses it does not parse.
  }
}

/** The mistake of an expression that parses, but does not mean what its author expects, or might never end. */
function foreignUse(node: unknown): { message: string; hint: string } | undefined {
  if (Array.isArray(node)) return node.map(foreignUse).find((use) => use !== undefined);
  if (!isNode(node)) return undefined;
  const { op, args } = node;
  if (op === 'id' && CEL_NAMES.has(args as string))
    return { message: `\`${String(args)}\` is a type of CEL`, hint: 'Give the variable another name.' };
  if (op === 'rcall' && (args as unknown[])[0] === 'matches')
    return {
      message: 'a regular expression may never finish',
      hint: 'Use contains, startsWith or endsWith, or a tool.',
    };
  return foreignUse(args);
}

const firstLine = (error: unknown): string =>
  (error instanceof Error ? error.message : 'Unknown error').split('\n')[0]?.replace(/\.$/, '') ?? '';
