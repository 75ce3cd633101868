/** Longer than anything that a quick answer may take; work below this is not looked at again. */
const NOTICED_US = 2_000;
const LONG_US = 50_000;
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

const pumped = ({ unit, before = '', after = '' }: Pump, length = LENGTH): string =>
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
 * The pumps for which four times the text is far more than four times the work, with how much more. It compares the
 * function with itself in the same minute, so that the machine does not matter: a pump is looked at again only if it
 * takes much longer than the first one, which is always looked at.
 */
export function excessiveGrowth(
  work: (text: string) => unknown,
  pumps: readonly Pump[],
  atMost = LENGTH * LONGER,
): { pump: Pump; growth: number }[] {
  const short = Math.min(LENGTH, Math.floor(atMost / LONGER));
  let noticed = NOTICED_US;
  return pumps.flatMap((pump, at) => {
    const text = pumped(pump, short);
    if (cost(work, text) < noticed) return [];
    const once = least(work, text);
    if (once < noticed) return [];
    // What takes so long already is compared with a shorter text.
    const growth =
      once > LONG_US
        ? once / Math.max(1, least(work, pumped(pump, short / LONGER)))
        : least(work, pumped(pump, short * LONGER)) / once;
    if (at === 0) noticed = Math.max(NOTICED_US, once * 3);
    return growth > MOST ? [{ pump, growth }] : [];
  });
}
