/** Longer than any quick answer; work below this is not measured again. */
const NOTICED_US = 500;
const LONG_US = 50_000;
const LENGTH = 1_024;
/** A text of four times the length takes four times the work if growth is linear, sixteen times if it is quadratic. */
const LONGER = 4;
const MOST = 9;

/** The repeated unit of a text, and the texts before and after it. */
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

/** Compares again while the growth looks excessive. */
function untilSmall(compare: () => number): number[] {
  const growths = [compare()];
  while (growths.length < 3 && Math.min(...growths) > MOST) growths.push(compare());
  return growths;
}

/**
 * Returns the pumps for which four times the text takes far more than four times the work, with the factor. It compares
 * the function with itself within the same minute, so that the machine does not matter. A later pump is
 * measured again only if it takes much longer than the first.
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
    // Work that is long already is compared with that for a shorter text.
    const compare = () =>
      once > LONG_US
        ? once / Math.max(1, least(work, pumped(pump, short / LONGER)))
        : least(work, pumped(pump, short * LONGER)) / least(work, text);
    if (at === 0) noticed = Math.max(NOTICED_US, once * 3);
    // The garbage of earlier work may be collected meanwhile, in threads of the same process.
    const growth = Math.min(...untilSmall(compare));
    return growth > MOST ? [{ pump, growth }] : [];
  });
}
