import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { McpServer, ReadResourceResult } from '@modelcontextprotocol/server';
import type { Client } from '@temporalio/client';
import { getBulkGroups, getBulkStatus, getReport, listBulkOperations } from '../client';
import type { AdapterDescription } from '../contract/adapter';
import { jsonLine } from '../core/shared/plain-text';
import { packageFolder } from '../host/version';
import { checkReach, type Caller } from './caller';
import { approvalUrl, type McpContext } from './context';
import { sdk } from './sdk';

export const INBOX = 'batchgate://inbox';
export const statusUri = (id: string) => `batchgate://operations/${encodeURIComponent(id)}`;
export const reportUri = (id: string) => `${statusUri(id)}/report`;
const adapterUri = (name: string) => `batchgate://adapters/${encodeURIComponent(name)}`;

const adapterPageUri = (name: string) => `${adapterUri(name)}/page`;

const JSON_TYPE = 'application/json';
const PAGE_TYPE = 'text/markdown';
const MAX_LISTED = 100;
const MAX_COMPLETED = 50;
const MAX_GROUPS = 1_000;

/** The resources of an agent: its operations, their reports, open questions, and the parameters of each adapter. */
export function addResources(server: McpServer, context: McpContext, caller: Caller): void {
  server.registerResource(
    'inbox',
    INBOX,
    {
      title: 'What waits for a person',
      description: 'Your operations that have not ended, each with the page where a person decides.',
      mimeType: JSON_TYPE,
    },
    async (uri) => {
      const rows = await ownOperations(context, caller, { live: true });
      const items = await Promise.all(
        rows.map(async (row) => ({ ...row, approval_url: await approvalUrl(context, row.operation_id) })),
      );
      return json(uri, { items });
    },
  );
  addOperations(server, context, caller);
  addAdapters(server, context);
}

function addOperations(server: McpServer, context: McpContext, caller: Caller): void {
  const { ResourceTemplate } = sdk();
  const ids = (typed: string) => operationIds(context, caller, typed);
  const read = async (
    id: string,
    look: (client: Awaited<ReturnType<McpContext['connect']>>) => Promise<unknown>,
  ) => {
    const client = await context.connect();
    await checkReach(client, caller, id);
    return look(client);
  };
  server.registerResource(
    'operation',
    new ResourceTemplate('batchgate://operations/{operation_id}', {
      list: async () => ({
        resources: (await ownOperations(context, caller, { progress: false })).map(
          ({ operation_id, state }) => ({
            name: operation_id,
            uri: statusUri(operation_id),
            mimeType: JSON_TYPE,
            ...(state && { description: state }),
          }),
        ),
      }),
      complete: { operation_id: ids },
    }),
    { title: 'Status of an operation', description: 'As get_bulk_status answers.', mimeType: JSON_TYPE },
    async (uri, { operation_id }) => {
      const id = text(operation_id);
      return json(uri, await read(id, (client) => getBulkStatus(client, id)));
    },
  );
  const below = (
    name: string,
    title: string,
    description: string,
    look: typeof getReport | typeof allGroups,
  ) =>
    server.registerResource(
      name,
      new ResourceTemplate(`batchgate://operations/{operation_id}/${name}`, {
        list: undefined,
        complete: { operation_id: ids },
      }),
      { title, description, mimeType: JSON_TYPE },
      async (uri, { operation_id }) => {
        const id = text(operation_id);
        return json(uri, await read(id, (client) => look(client, id)));
      },
    );
  below('report', 'Report of an operation', 'One row for each item.', getReport);
  below('groups', 'Groups of the items of an operation', 'All items by what happens to them.', allGroups);
}

const allGroups = (client: Client, operationId: string) =>
  getBulkGroups(client, operationId, { limit: MAX_GROUPS });

function addAdapters(server: McpServer, context: McpContext): void {
  const { ResourceTemplate, ResourceNotFoundError } = sdk();
  const names = async () => (await context.describeAdapters()).map(({ adapter }) => adapter);
  const describe = async (uri: URL, domain: string | string[] | undefined) => {
    const description = (await context.describeAdapters()).find(({ adapter }) => adapter === text(domain));
    if (!description) throw new ResourceNotFoundError(uri.href);
    return description;
  };
  const template = (pattern: string, uriOf: (name: string) => string, mimeType: string) =>
    new ResourceTemplate(pattern, {
      list: async () => ({
        resources: (await names()).map((name) => ({ name, uri: uriOf(name), mimeType })),
      }),
      complete: { domain: async (typed) => (await names()).filter((name) => name.startsWith(typed)) },
    });
  server.registerResource(
    'adapter',
    template('batchgate://adapters/{domain}', adapterUri, JSON_TYPE),
    {
      title: 'What an adapter takes',
      description: 'Its actions, with the JSON Schema of their params.',
      mimeType: JSON_TYPE,
    },
    async (uri, { domain }) => json(uri, await describe(uri, domain)),
  );
  server.registerResource(
    'adapter_page',
    template('batchgate://adapters/{domain}/page', adapterPageUri, PAGE_TYPE),
    { title: 'The docs page of an adapter', description: 'How it is set up and used.', mimeType: PAGE_TYPE },
    async (uri, { domain }) => ({
      contents: [
        { uri: uri.href, mimeType: PAGE_TYPE, text: await adapterPage(await describe(uri, domain)) },
      ],
    }),
  );
}

/** The agent's own operations, live ones first. */
export async function ownOperations(
  context: McpContext,
  { sessions }: Caller,
  filter: { live?: true; progress?: false } = {},
) {
  const client = await context.connect();
  const query = { session_prefix: sessions, task_queue: context.taskQueue, limit: MAX_LISTED };
  return listBulkOperations(client, { ...query, ...filter });
}

export async function operationIds(context: McpContext, caller: Caller, typed: string): Promise<string[]> {
  const rows = await ownOperations(context, caller, { progress: false });
  return rows
    .map(({ operation_id }) => operation_id)
    .filter((id) => id.startsWith(typed))
    .slice(0, MAX_COMPLETED);
}

const text = (variable: string | string[] | undefined): string =>
  decodeURIComponent([variable ?? ''].flat().join('/'));

function json(uri: URL, value: unknown): ReadResourceResult {
  return { contents: [{ uri: uri.href, mimeType: JSON_TYPE, text: jsonLine(value) }] };
}

/** The adapters that come with batchgate, each with a page of its name under docs. */
const WITH_PAGE: readonly string[] = ['caldav', 'calendar', 'gmail', 'http', 'imap', 'sql', 'trello'];

/** The docs page of an adapter, as Markdown; for an operator's own adapter, its own description. */
async function adapterPage(described: AdapterDescription): Promise<string> {
  const { adapter } = described;
  const folder = packageFolder();
  if (!WITH_PAGE.includes(adapter) || folder === undefined) return ownPage(described);
  return readFile(join(folder, 'docs', `${adapter}.md`), 'utf8');
}

function ownPage({ adapter, item_noun, actions }: AdapterDescription): string {
  const sections = actions.map(({ action, description, params }) =>
    [
      `## ${action}`,
      `${description}. Its \`params\`:`,
      `\`\`\`json\n${JSON.stringify(params, null, 2)}\n\`\`\``,
    ].join('\n\n'),
  );
  return [`# ${adapter}`, `This adapter changes ${item_noun.many}.`, ...sections].join('\n\n') + '\n';
}
