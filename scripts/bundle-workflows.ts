import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { bundleWorkflowCode } from '@temporalio/worker';
import { transform } from 'esbuild';
import { bundling, sdkVersion } from '../src/worker/bundling';

const DIST = join(__dirname, '../dist');
/**
 * No error in a workflow has a stack (workflows/shared/stack-traces.ts), so nothing reads a source map. The SDK needs
 * one at the end of the code; every worker would parse, copy and keep six megabytes of it.
 */
const EMPTY_MAP = { version: 3, file: 'workflow-bundle.js', sources: [], names: [], mappings: '' };

/** Bundles the compiled workflows once, at build time, in the form that a worker reads fastest. */
export async function bundleWorkflows(): Promise<void> {
  const silent = () => undefined;
  const { code } = await bundleWorkflowCode({
    ...bundling(join(DIST, 'workflows/index.js')),
    logger: {
      log: silent,
      trace: silent,
      debug: silent,
      info: silent,
      warn: console.warn,
      error: console.error,
    },
    webpackConfigHook: (config) => ({ ...config, devtool: false, module: { ...config.module, rules: [] } }),
  });
  // Names stay unchanged: the SDK distinguishes errors by the names of their classes.
  const small = await transform(code, { minifySyntax: true, minifyWhitespace: true, target: 'node20' });
  const map = Buffer.from(JSON.stringify(EMPTY_MAP)).toString('base64');
  const bundle = `${small.code}//# sourceMappingURL=data:application/json;base64,${map}\n`;
  await writeFile(join(DIST, 'workflow-bundle.js'), bundle);
  await writeFile(join(DIST, 'workflow-bundle.json'), JSON.stringify({ sdk: sdkVersion() }));
}
