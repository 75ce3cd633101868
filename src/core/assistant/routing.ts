import { z } from 'zod';
import type { ToolDescription } from '../../contract/tools';
import { describeIssues } from '../../contract/errors';

/** Meta-routing (seed 002): the model chooses categories first, and has only their tools. */
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
  const parsed = routeSchema.safeParse(args);
  if (!parsed.success) {
    const isList = parsed.error.issues.every(({ code }) => code === 'invalid_format');
    const hint = isList ? KNOWN_ONLY : 'Use [item1, item2] format.';
    return refused(before, describeIssues(parsed.error), hint);
  }
  if (unknown.length > 0) {
    const names = unknown.map((category) => `'${category}'`).join(', ');
    return refused(before, `categories: no tool has the category ${names}`, KNOWN_ONLY);
  }
  const categories = [...new Set([...before, ...parsed.data.categories])].slice(0, MAX_CATEGORIES);
  return { categories, output: { available: categories } };
}

const KNOWN_ONLY = 'Use only the categories of the schema.';

const refused = (before: readonly string[], what: string, hint: string) => ({
  categories: [...before],
  output: { error: `[GATEWAY ERROR] ${ROUTE_TOOL}: ${what}. [HINT]: ${hint}` },
});

/** The chosen categories that none of these tools has; the first few, because a model may invent many. */
export function unknownCategories(
  tools: readonly Pick<ToolDescription, 'category'>[],
  args: unknown,
): string[] {
  const { data } = routeSchema.safeParse(args);
  const known = new Set(tools.map(({ category }) => category));
  return (data?.categories ?? []).filter((category) => !known.has(category)).slice(0, SHOWN_UNKNOWN);
}

const SHOWN_UNKNOWN = 3;

export function readQuestion(args: unknown): string | undefined {
  return questionSchema.safeParse(args).data?.question;
}

interface OwnTool {
  name: string;
  description: string;
  args: Record<string, unknown>;
}

/** The two tools that are there at every step. */
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
  for (const { name, category } of tools)
    categories.set(category, [...(categories.get(category) ?? []), name]);
  return categories;
}
