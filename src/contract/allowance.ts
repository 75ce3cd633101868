/** `perInterval` units arrive evenly in `intervalMs` milliseconds; at most `burst` are kept, and that many at first. */
export interface AllowanceLimit {
  readonly perInterval: number;
  readonly intervalMs: number;
  readonly burst: number;
}

/** Where the units of an allowance are kept. */
export interface Bucket {
  /** Takes the units and returns 0, or takes none and returns the milliseconds until they may be available. */
  take(cost: number): number | Promise<number>;
}

/** The bucket of one tool, shared by all workers of a store. */
export type SharedBuckets = (tool: string, limit: AllowanceLimit) => Bucket;
