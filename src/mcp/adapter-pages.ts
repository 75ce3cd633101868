import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { AdapterDescription } from '../contract/adapter';
import { packageFolder } from '../host/version';

/** The adapters that come with batchgate, each with a page of its name under docs. */
const WITH_PAGE: readonly string[] = ['calendar', 'gmail', 'http', 'sql', 'trello'];

/** The docs page of an adapter, as Markdown; of one of the operator's own, what it says of itself. */
export async function adapterPage(described: AdapterDescription): Promise<string> {
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
