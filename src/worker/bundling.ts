import { dirname, join } from 'node:path';

/** How our workflows, by the path of their index, become a bundle. */
export function bundling(path: string) {
  const shared = (module: string) => join(dirname(path), 'shared', module);
  return {
    workflowsPath: path,
    preloadModules: [shared('stack-traces'), shared('preloaded')],
    workflowInterceptorModules: [shared('read-ahead')],
  };
}
