import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';

/** The bundler options for our workflows, by the path of their index. */
export function bundling(path: string) {
  const shared = (module: string) => join(dirname(path), 'shared', module);
  return {
    workflowsPath: path,
    preloadModules: [shared('stack-traces'), shared('preloaded')],
    workflowInterceptorModules: [shared('read-ahead'), shared('resets')],
  };
}

/** The version of the installed SDK: a bundle of workflows holds its other half, and fits no other version. */
export function sdkVersion(): string {
  const load = createRequire(__filename);
  return (load('@temporalio/worker/package.json') as { version: string }).version;
}
