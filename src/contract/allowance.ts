/** A token bucket: `perInterval` units arrive evenly in `intervalMs` milliseconds. It holds `burst` and starts full. */
export interface AllowanceLimit {
  readonly perInterval: number;
  readonly intervalMs: number;
  readonly burst: number;
}

/** The storage of the units of an allowance. */
export interface Bucket {
  /** Takes the units and returns 0, or takes none and returns the milliseconds until they may be available. */
  take(cost: number): number | Promise<number>;
}

/** The bucket of one tool, shared by all workers of a store. */
export type SharedBuckets = (tool: string, limit: AllowanceLimit) => Bucket;
