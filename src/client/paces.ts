/**
 * Sends at most once per interval. Further calls within it are dropped, and failures are ignored: a lost second does
 * not matter in a cooldown of fifteen minutes.
 */
export function throttled(everyMs: number, send: (by?: string) => Promise<void>): (by?: string) => void {
  let sentAt = Number.NEGATIVE_INFINITY;
  return (by) => {
    const now = Date.now();
    if (now - sentAt < everyMs) return;
    sentAt = now;
    send(by).catch(() => undefined);
  };
}

/** Sends at once, and at the end of each interval in which there were more calls. */
export function paced(everyMs: number, send: (by?: string) => Promise<void>): (by?: string) => void {
  let waiting: { by?: string | undefined } | undefined;
  let resting = false;
  const report = (by?: string) => {
    if (resting) {
      waiting = { by };
      return;
    }
    resting = true;
    send(by).catch(() => undefined);
    setTimeout(() => {
      resting = false;
      const next = waiting;
      waiting = undefined;
      if (next) report(next.by);
    }, everyMs).unref();
  };
  return report;
}
