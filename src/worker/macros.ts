import { resolve } from 'node:path';
import type { MacroDependencies } from '../../activities/macro/dependencies';
import { createModel } from '../../activities/macro/model';
import type { Config } from '../config';
import type { Databases } from '../databases';
import { createRowSource } from './row-source';

/** What macros may do, over what the configuration says. Nothing is connected before its first use. */
export function createMacros({ model, file }: Config, databases: Databases): Partial<MacroDependencies> {
  const { macros_dir, resources_dir, folder } = file;
  return {
    databases: createRowSource(databases, Object.keys(file.databases)),
    ...(model && { model: createModel(model) }),
    ...(macros_dir !== undefined && { macrosDir: resolve(folder, macros_dir) }),
    ...(resources_dir !== undefined && { resourcesDir: resolve(folder, resources_dir) }),
  };
}
