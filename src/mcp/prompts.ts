import type { McpServer } from '@modelcontextprotocol/server';
import { z } from 'zod';
import { suggestValues } from '../client';
import type { Caller } from './caller';
import type { McpContext } from './context';
import { operationIds } from './resources';
import { sdk } from './sdk';

const MAX_TEXT = 1_000;

/** Prompts with which a person begins in a host: start a bulk operation, or continue an interrupted one. */
export function addPrompts(server: McpServer, context: McpContext, caller: Caller): void {
  const { completable } = sdk();
  server.registerPrompt(
    'start_bulk_operation',
    {
      title: 'Change many items',
      description: 'Plan one action on many items; you confirm each batch.',
      argsSchema: z.object(argumentsOfStart(context)),
    },
    (args) =>
      user(
        'Plan a bulk operation with batchgate. Read describe_tools for the domain, preview it, show me the effect, start it, and show me the first question with its link. The person wants:',
        args,
      ),
  );
  server.registerPrompt(
    'resume_bulk_operation',
    {
      title: 'Answer an interrupted operation',
      description: 'See what still waits, and go on with it.',
      argsSchema: z.object({
        operation_id: completable(z.string().max(MAX_TEXT), (typed) =>
          operationIds(context, caller, typed ?? ''),
        ),
      }),
    },
    (args) =>
      user(
        'Call get_bulk_status for this operation. Tell me what was done and what waits, show me the open question with its link, and call continue_bulk_operation for that batch.',
        args,
      ),
  );
}

function argumentsOfStart(context: McpContext) {
  const { completable } = sdk();
  const domain = completable(z.string().max(150), async (typed) => {
    const described = await context.describeAdapters();
    return startingWith(
      described.map(({ adapter }) => adapter),
      typed ?? '',
    );
  });
  const action = completable(z.string().max(150), async (typed, about) => {
    const domainName = about?.arguments?.['domain'];
    const described = await context.describeAdapters();
    const adapters = described.filter(({ adapter }) => domainName === undefined || adapter === domainName);
    const actions = adapters.flatMap((adapter) => adapter.actions.map((each) => each.action));
    return startingWith([...new Set(actions)], typed ?? '');
  });
  /** A parameter of adapters, under its own name, for whose values the adapter has suggestions. */
  const parameter = (name: string, description: string) =>
    completable(z.string().max(MAX_TEXT), (typed, about) =>
      suggested(context, name, typed ?? '', about?.arguments ?? {}),
    )
      .optional()
      .describe(description);
  return {
    domain,
    action,
    items: z.string().max(MAX_TEXT).describe('Which items, in your words'),
    label_name: parameter('label_name', 'The label to add or remove'),
    board: parameter('board', 'The board that the cards are on'),
    target_list: parameter('target_list', 'The list to move the cards to'),
    calendar: parameter('calendar', 'The calendar that the events are in'),
  };
}

/** Empty if no worker answers in time, or the tool cannot be read: then the user types the value. */
async function suggested(
  { connect, taskQueue, waits }: McpContext,
  parameter: string,
  beginning: string,
  { domain, ...params }: Record<string, string>,
): Promise<string[]> {
  if (domain === undefined) return [];
  try {
    const request = { domain, parameter, beginning, params };
    return await suggestValues(await connect(), request, {
      task_queue: taskQueue,
      wait_ms: waits.suggestions,
    });
  } catch {
    return [];
  }
}

const startingWith = (all: readonly string[], typed: string) => all.filter((text) => text.startsWith(typed));

const user = (instruction: string, args: object) => ({
  messages: [
    {
      role: 'user' as const,
      content: { type: 'text' as const, text: `${instruction}\n${JSON.stringify(args)}` },
    },
  ],
});
