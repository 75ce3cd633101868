import { existsSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import type { WorkerOptions } from '@temporalio/worker';

/** Returns the bundler options for our workflows, by the path of their index. */
export function bundling(path: string) {
  const shared = (module: string) => join(dirname(path), 'shared', module);
  return {
    workflowsPath: path,
    preloadModules: [shared('stack-traces'), shared('preloaded')],
    workflowInterceptorModules: [shared('read-ahead'), shared('resets')],
  };
}

/** Returns the version of the installed SDK. A bundle of workflows contains a part of the SDK, of the same version. */
export function sdkVersion(): string {
  const load = createRequire(__filename);
  return (load('@temporalio/worker/package.json') as { version: string }).version;
}

/** Returns the bundle of the build if it matches the installed SDK. It saves a bundler run at every start. */
export function workflowSource(
  bundle?: WorkerOptions['workflowBundle'],
): Pick<WorkerOptions, 'workflowBundle' | 'workflowsPath' | 'bundlerOptions' | 'interceptors'> {
  if (bundle) return { workflowBundle: bundle };
  const output = join(__dirname, '../../workflow-bundle');
  if (bundledWith(`${output}.json`) === sdkVersion()) return { workflowBundle: { codePath: `${output}.js` } };
  const { workflowsPath, preloadModules, workflowInterceptorModules } = bundling(
    require.resolve('../../workflows/index'),
  );
  const interceptors = { workflowModules: workflowInterceptorModules };
  return { workflowsPath, bundlerOptions: { preloadModules }, interceptors };
}

/** Returns the version of the SDK in the bundle of this build. */
function bundledWith(file: string): string | undefined {
  if (!existsSync(file)) return undefined;
  return (JSON.parse(readFileSync(file, 'utf8')) as { sdk: string }).sdk;
}
