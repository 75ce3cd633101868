import type { ConformanceWorld } from './subject';

/** One demand on every adapter. `run` throws when it is not met. */
export interface ConformanceCase {
  readonly id: string;
  /** What the adapter does, as the rest of a sentence. */
  readonly title: string;
  run(world: ConformanceWorld, limits: { readonly concurrency: number }): Promise<void>;
}
