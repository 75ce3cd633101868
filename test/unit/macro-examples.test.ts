import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { ToolDefinition } from '../../src/contract/tools';
import { macroJsonSchema } from '../../src/core/macro/parse';
import { validateBundle } from '../../src/core/macro/validate';
import { loadMacroFile } from '../../src/host/macro-files';

const root = join(__dirname, '../..');
const folder = join(root, 'examples/macros');

it.each(readdirSync(folder))('has an example %s without a mistake, given the example tools', async (file) => {
  const { tools } = (await import(join(root, 'examples/tools.mjs'))) as { tools: ToolDefinition[] };
  const bundle = await loadMacroFile(join(folder, file));
  expect(validateBundle(bundle, { tools })).toEqual([]);
});

it('finds the macros that an example calls in its folder', async () => {
  const { macros } = await loadMacroFile(join(folder, 'user_update_saga.json'));
  expect(Object.keys(macros).sort()).toEqual(['log_audit', 'update_user', 'user_update_saga']);
});

it('publishes the current schema of macro files', () => {
  // If this fails, run: node --import tsx scripts/macro-schema.ts
  expect(JSON.parse(readFileSync(join(root, 'macro.schema.json'), 'utf8'))).toEqual(macroJsonSchema());
});
