import { z } from 'zod';
import type { ToolDescription } from '../../contract/tools';
import { BatchgateError } from '../../contract/errors';
import { readArguments } from '../gateway/arguments';
import { sentences } from '../shared/plain-text';

/** Meta-routing (specification G9): the model chooses categories first, and has only their tools. */
export const ROUTE_TOOL = 'choose_tools';
/** Asks the person a question, and ends the turn. */
export const ASK_TOOL = 'ask_person';

const MAX_CATEGORIES = 20;
const routeSchema = z.strictObject({
  categories: z
    .array(z.string().regex(/^[a-z][a-z0-9_-]{0,63}$/, 'is not a category'))
    .min(1)
    .max(MAX_CATEGORIES),
});
const questionSchema = z.strictObject({ question: z.string().trim().min(1).max(2_000) });

/** The categories after a choice: those chosen before stay. `unknown`: chosen categories that no tool has. */
export function readRoute(
  args: unknown,
  before: readonly string[],
  unknown: readonly string[] = [],
): { categories: string[]; output: { available: string[] } | { error: string } } {
  const parsed = readOwn(ROUTE_TOOL, routeSchema, args);
  if ('error' in parsed) return { categories: [...before], output: parsed };
  if (unknown.length > 0) {
    const names = unknown.map((category) => `'${category}'`).join(', ');
    const error = `[GATEWAY ERROR] ${ROUTE_TOOL}: categories: no tool has the category ${names}. [HINT]: Use only the categories of the schema.`;
    return { categories: [...before], output: { error } };
  }
  const categories = [...new Set([...before, ...parsed.value.categories])].slice(0, MAX_CATEGORIES);
  return { categories, output: { available: categories } };
}

/** The arguments of an own tool, or the gateway's refusal of them. */
function readOwn<S extends z.ZodObject>(
  name: string,
  schema: S,
  args: unknown,
): { value: z.output<S> } | { error: string } {
  try {
    return { value: readArguments({ name, args: schema }, args, []) as z.output<S> };
  } catch (error) {
    if (!(error instanceof BatchgateError)) throw error;
    return { error: sentences(error.message, error.hint) };
  }
}

/** The chosen categories that none of these tools has; the first few, because a model may invent many. */
export function unknownCategories(
  tools: readonly Pick<ToolDescription, 'category'>[],
  args: unknown,
): string[] {
  const { data } = routeSchema.safeParse(args);
  const existing = new Set(tools.map(({ category }) => category));
  return (data?.categories ?? []).filter((category) => !existing.has(category)).slice(0, SHOWN_UNKNOWN);
}

const SHOWN_UNKNOWN = 3;

/** The question of a call of `ask_person`, or the mistake in the call. */
export function readQuestion(args: unknown): { question: string } | { error: string } {
  const parsed = readOwn(ASK_TOOL, questionSchema, args);
  return 'error' in parsed ? parsed : parsed.value;
}

interface OwnTool {
  name: string;
  description: string;
  args: Record<string, unknown>;
}

/** The two tools that are available at every step. */
export function ownTools(categories: readonly string[]): OwnTool[] {
  const schemaOf = (schema: z.ZodType) => {
    const { $schema: _, ...described } = z.toJSONSchema(schema, { io: 'input' });
    return described;
  };
  const route = z.strictObject({ categories: z.array(z.enum(categories as [string, ...string[]])).min(1) });
  return [
    {
      name: ROUTE_TOOL,
      description:
        'Makes the tools of these categories available from your next step on. Call it first when a request needs tools.',
      args: schemaOf(route),
    },
    {
      name: ASK_TOOL,
      description: 'Asks the person one question when the request is ambiguous or something is missing.',
      args: schemaOf(questionSchema),
    },
  ];
}

/** The categories of these tools, each with the names of its tools. */
export function categoriesOf(
  tools: readonly Pick<ToolDescription, 'name' | 'category'>[],
): Map<string, string[]> {
  const categories = new Map<string, string[]>();
  for (const { name, category } of tools) {
    const names = categories.get(category);
    if (names) names.push(name);
    else categories.set(category, [name]);
  }
  return categories;
}
