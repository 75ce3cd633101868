import type { Command } from 'commander';
import type { AdapterDescription } from '../contract/adapter';
import { describeAdapter } from '../core/bulk/registry';
import { readConfig } from './io';
import { print, printJson, table } from './output';
import { bold } from './style';
import { verb } from './verb';

export function addAdaptersVerb(program: Command): void {
  verb(program, 'adapters [name]', 'list the adapters with their actions and parameters', adapters);
}

async function adapters(json: boolean, name: string | undefined): Promise<void> {
  const { createAdapters } = await import('../worker/adapters.js');
  const registry = await createAdapters(readConfig());
  const described = (name === undefined ? registry.list() : [registry.get(name)]).map(describeAdapter);
  if (json) described.forEach(printJson);
  else if (name === undefined)
    print(table(['ADAPTER', 'ACTION', 'DOES', 'PARAMETERS'], described.flatMap(rowsOf)));
  else described.forEach(showWhole);
}

interface Parameters {
  properties?: Record<string, { description?: string }>;
  required?: string[];
}

function rowsOf({ adapter, actions }: AdapterDescription): string[][] {
  return actions.map(({ action, description, params }) => [adapter, action, description, namesOf(params)]);
}

/** Optional parameters end with a question mark. */
function namesOf({ properties = {}, required = [] }: Parameters): string {
  return Object.keys(properties)
    .map((name) => (required.includes(name) ? name : `${name}?`))
    .join(', ');
}

function showWhole({ actions }: AdapterDescription): void {
  for (const { action, description, params } of actions) {
    const { properties = {}, required = [] } = params as Parameters;
    print(`${bold(action)}: ${description}`);
    const rows = Object.entries(properties).map(([name, property]) => [
      `  ${name}`,
      required.includes(name) ? 'required' : '',
      property.description ?? '',
    ]);
    print(`${table(['  PARAMETER', '', ''], rows)}\n`);
  }
}
