import { z } from 'zod';
import type { Config } from '../config';
import type { BulkAdapter } from '../contract/adapter';
import { functionShape, loadOwn } from './own-modules';

const adapterShape = z.looseObject({
  toolName: z.string().min(1),
  actions: z.record(
    z.string(),
    z.looseObject({
      description: z.string(),
      query: z.instanceof(z.ZodObject),
      change: z.instanceof(z.ZodObject),
    }),
  ),
  prepare: functionShape,
  getTotalCount: functionShape,
  getNextBatch: functionShape,
  executeBatch: functionShape,
});

/**
 * The adapters of the modules that the configuration names, each of which exports them as `adapters`.
 * @throws BatchgateError `NOT_CONFIGURED` naming the module and what is wrong with it.
 */
export function loadOwnAdapters({ file }: Config): Promise<BulkAdapter[]> {
  const page = 'docs/write-an-adapter.md';
  return loadOwn(file, file.adapters, { name: 'adapters', shape: adapterShape, page });
}
