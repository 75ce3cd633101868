import type { ErrorBody } from '../../contract/errors';
import type { ContinueRequest } from '../../contract/messages';
import { MAX_AHEAD_DAYS, type FrozenWindow, type Schedule } from '../../contract/schedule';
import { DAY_MS, formatInstant } from '../shared/zoned-time';
import type { OperationInput } from './input';
import { openAt, windowWords } from './windows';

interface Times {
  input: Pick<OperationInput, 'not_before'>;
  throttled_until?: number;
  windows?: FrozenWindow[];
  approving?: { given: readonly { not_before?: string }[] };
}

/** When a batch that is confirmed now may begin. In milliseconds; now if nothing puts it off. */
export function dueAt(
  { input, throttled_until = 0, windows, approving }: Times,
  { not_before }: Pick<ContinueRequest, 'not_before'>,
  now: number,
): number {
  // The batch begins when each of its approvals lets it.
  const asked = [input, { not_before }, ...(approving?.given ?? [])];
  const times = asked.map((one) => instantOf(one.not_before));
  return openAt(windows, Math.max(now, throttled_until, ...times));
}

const instantOf = (moment: string | undefined): number => (moment === undefined ? 0 : Date.parse(moment));

/** What puts the batches of a question off; undefined if nothing does. */
export function scheduleOf({ input, throttled_until, windows }: Times): Schedule | undefined {
  const schedule: Schedule = {
    ...(input.not_before !== undefined && {
      not_before: new Date(input.not_before).toISOString(),
    }),
    ...(throttled_until !== undefined && { throttled_until: new Date(throttled_until).toISOString() }),
    ...(windows?.length && { windows: windows.map(({ offsets: _, ...rule }) => rule) }),
  };
  return Object.keys(schedule).length === 0 ? undefined : schedule;
}

/** The refusal of a time that is too far ahead; undefined if it is not. */
export function tooFarAhead(not_before: string | undefined, now: number): ErrorBody | undefined {
  if (instantOf(not_before) <= now + MAX_AHEAD_DAYS * DAY_MS) return undefined;
  return {
    code: 'INVALID_INPUT',
    message: `not_before is ${not_before}, and a batch can be put off by at most ${MAX_AHEAD_DAYS} days.`,
    hint: `Give a time within ${MAX_AHEAD_DAYS} days; nothing was run.`,
  };
}

/** The time until which a tool refuses everything, from the error of a batch; undefined if it is over or too far ahead. */
export function refusedUntil(error: ErrorBody | undefined, now: number): number | undefined {
  if (error?.code !== 'RATE_LIMITED') return undefined;
  const { until } = (error.details ?? {}) as { until?: unknown };
  const instant = typeof until === 'string' ? Date.parse(until) : NaN;
  return instant > now && instant <= now + MAX_AHEAD_DAYS * DAY_MS ? instant : undefined;
}

/** The lines below a question that say when its batch begins. */
export function scheduleLines(domain: string, schedule: Schedule | undefined, now: number): string[] {
  if (!schedule) return [];
  const { not_before, throttled_until, windows } = schedule;
  const later = not_before !== undefined && Date.parse(not_before) > now;
  return [
    ...(throttled_until === undefined
      ? []
      : [
          `${domain} accepts nothing until ${throttled_until}. A batch that you confirm before then begins at that time.`,
        ]),
    ...(later ? [`No batch begins before ${not_before}. Until then, a confirmed batch waits.`] : []),
    ...(windows
      ? [`Batches begin only ${windowWords(windows)}. A batch confirmed at another time waits.`]
      : []),
  ];
}

/** An instant as the person wrote it, who named an offset; else in UTC. */
export function momentText(instant: number, asked: readonly (string | undefined)[]): string {
  const written = asked.find((one) => one !== undefined && Date.parse(one) === instant);
  const [, sign = '', hours = '0', minutes = '0'] = /([+-])(\d\d):(\d\d)$/.exec(written ?? '') ?? [];
  return formatInstant(Number(`${sign}${Number(hours) * 60 + Number(minutes)}`), instant);
}
