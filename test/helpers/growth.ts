/** Longer than anything that a quick answer may take; work below this is not looked at again. */
const NOTICED_US = 2_000;
const LENGTH = 1_024;
/** Four times the text: four times the work where it grows with the text, sixteen times where it grows with its square. */
const LONGER = 4;
const MOST = 9;

/** What a text is pumped from, and what stands before and after it. */
export interface Pump {
  readonly unit: string;
  readonly before?: string;
  readonly after?: string;
}

export const pumped = ({ unit, before = '', after = '' }: Pump, length = LENGTH): string =>
  before + unit.repeat(Math.ceil(length / unit.length)) + after;

/** Processor time of this process, so that other processes do not count. */
function cost(work: (text: string) => unknown, text: string): number {
  const before = process.cpuUsage();
  try {
    const answer = work(text);
    if (answer instanceof Promise) answer.catch(() => undefined);
  } catch {
    // A refusal is an answer, too.
  }
  const { user, system } = process.cpuUsage(before);
  return user + system;
}

const least = (work: (text: string) => unknown, text: string): number =>
  Math.min(...[1, 2, 3].map(() => cost(work, text)));

/**
 * How much more work four times the text is; undefined where even that is hardly any. It compares the function with
 * itself in the same minute, so that the machine does not matter.
 */
export function excessiveGrowth(
  work: (text: string) => unknown,
  pump: Pump,
  atMost = LENGTH,
): number | undefined {
  const text = pumped(pump, Math.min(LENGTH, atMost));
  if (cost(work, text) < NOTICED_US || least(work, text) < NOTICED_US) return undefined;
  const longer = pumped(pump, Math.min(LENGTH * LONGER, atMost));
  const growth = least(work, longer) / least(work, text);
  return growth > MOST ? growth : undefined;
}
