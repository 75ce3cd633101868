import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { bundleWorkflowCode } from '@temporalio/worker';
import { bundling, sdkVersion } from './bundling';

/** Bundles the compiled workflows once, at build time. */
async function main(): Promise<void> {
  const root = join(__dirname, '../..');
  const silent = () => undefined;
  const { code } = await bundleWorkflowCode({
    ...bundling(join(root, 'workflows/index.js')),
    logger: {
      log: silent,
      trace: silent,
      debug: silent,
      info: silent,
      warn: console.warn,
      error: console.error,
    },
  });
  await writeFile(join(root, 'workflow-bundle.js'), code);
  await writeFile(join(root, 'workflow-bundle.json'), JSON.stringify({ sdk: sdkVersion() }));
}

void main();
