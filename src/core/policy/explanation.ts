import { parse, serialize, type ASTNode } from '@marcbachmann/cel-js';
import type { ErrorBody } from '../../contract/errors';
import type { PolicyInput, Requirement } from '../../contract/policy';
import { shortened } from '../../contract/text';
import { ConditionError } from '../macro/condition';
import { isNode } from '../macro/condition-cost';
import { matches, POLICY_VARIABLES } from './conditions';
import { requirementOf, type PolicyQuestion } from './evaluation';
import type { Policy } from './rules';
import { policyWords } from './words';

/** The result of the policies for an operation, with the reasons. */
export interface PolicyExplanation {
  /** The policy that applies; absent if none matches. */
  policy?: string;
  effect: 'none' | 'require' | 'refuse';
  /** The requirement and its words, or the error with which the start would be refused. */
  requirement?: Requirement;
  words?: string;
  error?: ErrorBody;
  /** The policies in order, up to the one that applies. */
  tried: { policy: string; when: string; result: 'matched' | 'not_matched' | 'failed'; why: string }[];
}

/** Evaluates the policies for an operation, and explains the result. */
export function explain(policies: readonly Policy[], question: PolicyQuestion): PolicyExplanation {
  const { approvers: _, ...input } = question;
  const tried: PolicyExplanation['tried'] = [];
  for (const policy of policies) {
    const attempt = triedOn(policy, input);
    tried.push(attempt);
    if (attempt.result !== 'not_matched') break;
  }
  const last = tried.at(-1);
  const { requirement, refused } = requirementOf(policies, question);
  return {
    ...(last && last.result !== 'not_matched' && { policy: last.policy }),
    effect: refused ? 'refuse' : requirement ? 'require' : 'none',
    ...(requirement && { requirement, words: policyWords(requirement) }),
    ...(refused && { error: refused }),
    tried,
  };
}

function triedOn({ name: policy, when }: Policy, input: PolicyInput): PolicyExplanation['tried'][number] {
  try {
    if (matches(when, input)) return { policy, when, result: 'matched', why: `${when} is true` };
    return { policy, when, result: 'not_matched', why: whyFalse(when, input) };
  } catch (error) {
    if (!(error instanceof ConditionError)) throw error;
    return { policy, when, result: 'failed', why: error.message };
  }
}

/** The first operand of "and" that is false, and the values of its variables. */
function whyFalse(when: string, input: PolicyInput): string {
  const parts = conjuncts(parse(when).ast).map((node) => ({ node, text: serialize(node) }));
  const part = parts.find(({ text }) => isFalse(text, input));
  if (!part) return `${when} is false`;
  const names = namesIn(part.node);
  const variables = POLICY_VARIABLES.filter(
    (name): name is keyof PolicyInput => name !== 'given' && name !== part.text && names.has(name),
  );
  const values = variables.map(
    (name) => `${name} is ${input[name] === undefined ? 'absent' : shortened(JSON.stringify(input[name]))}`,
  );
  return [`${part.text} is false`, ...values].join('; ');
}

const conjuncts = (node: ASTNode): ASTNode[] => (node.op === '&&' ? node.args.flatMap(conjuncts) : [node]);

function isFalse(condition: string, input: PolicyInput): boolean {
  try {
    return !matches(condition, input);
  } catch {
    return false;
  }
}

function namesIn(node: unknown, names = new Set<unknown>()): Set<unknown> {
  if (Array.isArray(node)) node.forEach((part) => namesIn(part, names));
  else if (isNode(node)) {
    if (node.op === 'id') names.add(node.args);
    namesIn(node.args, names);
  }
  return names;
}
