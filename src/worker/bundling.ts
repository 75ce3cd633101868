import { dirname, join } from 'node:path';

/** How our workflows, by the path of their index, become a bundle. */
export function bundling(path: string): { workflowsPath: string; preloadModules: string[] } {
  return { workflowsPath: path, preloadModules: [join(dirname(path), 'shared/stack-traces')] };
}
