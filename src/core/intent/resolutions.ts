import { placesOf, type PlainItem } from './places';

export interface Resolution {
  /** The places, from 0, in the list of the items in doubt. */
  places: number[];
  outcome: 'succeeded' | 'failed';
}

/** The maximum length of a resolution in UTF-16 units. */
const MAX_LENGTH = 400;

const lead = '(?:(?:yes|ok|okay|please|well|so|and|i checked|i looked) )*';
const done =
  '(?:done|changed|processed|successful|fine|ok|okay|there|through|marked|labelled|labeled|sent|delivered|applied)';
const succeeded = `(?:succeeded|worked|went through|arrived|did (?:work|succeed|go through)|(?:was|is|were|are|has been|have been) ${done}|(?:has|have) (?:succeeded|worked|arrived))`;
const failed = `(?:failed|(?:did not|didn't|has not|hasn't|never) (?:work|worked|succeed|succeeded|go through|went through|happen|happened|arrive|arrived)|(?:was|is|were|are) not ${done}|(?:wasn't|isn't|weren't|aren't) ${done}|(?:has|have) failed)`;
const FORMS = (
  [
    ['succeeded', `(.+?) ${succeeded}`],
    ['failed', `(.+?) ${failed}`],
    [
      'succeeded',
      '(?:resolve|mark|record|settle|count) (.+?) (?:as |to have )?(?:succeeded|successful|done|a success)',
    ],
    ['failed', '(?:resolve|mark|record|settle|count) (.+?) (?:as |to have )?(?:failed|a failure|not done)'],
  ] as const
).map(([outcome, words]) => ({ outcome, pattern: new RegExp(`^${lead}${words}$`, 'u') }));
const THE_ONE = /^(?:it|that|this|that one|(?:the|this|that) (?:item|one)(?: in doubt)?)$/;
const EACH = /^(?:they|they all|all|all of them|both|both of them|these|those|everything)$/;

/** Whether a message has the form of a resolution. */
export function saysWhatBecame(plain: string): boolean {
  return plain.length <= MAX_LENGTH && FORMS.some(({ pattern }) => pattern.test(plain));
}

/**
 * Reads the resolutions of items in doubt from a message; undefined unless it names exactly some of them.
 * @param isAsked Whether the operation waits for them, so that "it" or "all of them" means them.
 */
export function readResolution(
  plain: string,
  inDoubt: readonly PlainItem[],
  isAsked: boolean,
): Resolution | undefined {
  if (plain.length > MAX_LENGTH || inDoubt.length === 0) return undefined;
  // "Was not done" matches both forms, and the later one matches all of it.
  for (const { outcome, pattern } of FORMS.toReversed()) {
    const words = pattern.exec(plain)?.[1];
    if (words === undefined) continue;
    if (isAsked && (EACH.test(words) || (THE_ONE.test(words) && inDoubt.length === 1)))
      return { places: inDoubt.map((_, at) => at), outcome };
    const places = placesOf(words, inDoubt);
    if (places) return { places, outcome };
  }
  return undefined;
}
