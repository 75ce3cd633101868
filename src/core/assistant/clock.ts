import type { EntryTime } from '../../contract/assistant';
import { formatInstant, isZone, wallClock } from '../shared/zoned-time';

const DAYS = ['Sunday', 'Monday', 'Tuesday', 'Wednesday', 'Thursday', 'Friday', 'Saturday'];
const LINE =
  /\n\[batchgate\] It is \d{4}-\d\d-\d\d \d\d:\d\d \([A-Z][a-z]+\), \S+(?: \(UTC[+-]\d\d:\d\d\))?\.$/;

/** The person's date and time as a line for the model, which knows neither; undefined for an entry without a time. */
function clockLine({ at, zone = 'UTC' }: EntryTime): string | undefined {
  if (at === undefined) return undefined;
  const known = isZone(zone) ? zone : 'UTC';
  const [date = '', time = ''] = formatInstant(known, at).split('T');
  const day = DAYS[new Date(wallClock(known, at)).getUTCDay()];
  const offset = time.slice(8);
  const place = offset === 'Z' ? known : `${known} (UTC${offset})`;
  return `[batchgate] It is ${date} ${time.slice(0, 5)} (${day}), ${place}.`;
}

/** A text with the line below it. The text comes first: a model and a script recognise a message by its beginning. */
export function withClock(text: string, time: EntryTime): string {
  const line = clockLine(time);
  return line === undefined ? text : `${text}\n${line}`;
}

/** The text without the line. */
export const withoutClock = (text: string): string => text.replace(LINE, '');
