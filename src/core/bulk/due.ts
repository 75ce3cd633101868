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

/** The time at which a batch confirmed now may begin, in milliseconds; `now` if nothing delays it. */
export function dueAt(
  { input, throttled_until = 0, windows, approving }: Times,
  { not_before }: Pick<ContinueRequest, 'not_before'>,
  now: number,
): number {
  // The batch begins only when each of its approvals allows it.
  const requests = [input, { not_before }, ...(approving?.given ?? [])];
  const times = requests.map((request) => instantOf(request.not_before));
  return openAt(windows, Math.max(now, throttled_until, ...times));
}

const instantOf = (moment: string | undefined): number => (moment === undefined ? 0 : Date.parse(moment));

/** The delays of the batches of a question; undefined if there are none. */
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

/** The error for a time that is too far ahead; undefined if it is not. */
export function tooFarAhead(not_before: string | undefined, now: number): ErrorBody | undefined {
  if (instantOf(not_before) <= now + MAX_AHEAD_DAYS * DAY_MS) return undefined;
  return {
    code: 'INVALID_INPUT',
    message: `not_before is ${not_before}, and a batch can be put off by at most ${MAX_AHEAD_DAYS} days.`,
    hint: `Give a time within ${MAX_AHEAD_DAYS} days; nothing was run.`,
  };
}

/** The end of a tool's rate limit, from the error of a batch; undefined if it has passed or is too far ahead. */
export function refusedUntil(error: ErrorBody | undefined, now: number): number | undefined {
  if (error?.code !== 'RATE_LIMITED') return undefined;
  const { until } = (error.details ?? {}) as { until?: unknown };
  const instant = typeof until === 'string' ? Date.parse(until) : NaN;
  return instant > now && instant <= now + MAX_AHEAD_DAYS * DAY_MS ? instant : undefined;
}

/** The lines below a question about the start of its batch. */
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

/** Formats an instant with the UTC offset that a person wrote, if one of the texts names this instant; else in UTC. */
export function momentText(instant: number, texts: readonly (string | undefined)[]): string {
  const match = texts.find((text) => text !== undefined && Date.parse(text) === instant);
  const [, sign = '', hours = '0', minutes = '0'] = /([+-])(\d\d):(\d\d)$/.exec(match ?? '') ?? [];
  return formatInstant(Number(`${sign}${Number(hours) * 60 + Number(minutes)}`), instant);
}
