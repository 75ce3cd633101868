import type { Entry } from '../../contract/assistant';
import { bytesOf } from '../shared/bounds';
import { withClock } from './clock';

/** The share of the context limit that stays verbatim when the rest is condensed. */
const KEPT_SHARE = 0.5;
const KEPT_LATEST = 0.7;
/** The share of both limits that a summary may take. */
export const SUMMARY_SHARE = 0.2;
/** The tokens of the text around a summary. */
export const SUMMARY_TOKENS = 32;
/** Entries are payloads of activities, which Temporal limits to 2 MB, so this applies in addition to the profile. */
export const MAX_CONTEXT_BYTES = 600_000;
/** The maximum bytes that one activity condenses. One step takes less. */
const MAX_FOLDED_BYTES = 1_000_000;
/** A multiple of the context limit. Each context takes two calls of the model, and all have one activity's time. */
const MAX_FOLDED_CONTEXTS = 4;
/** The maximum bytes of the results of one step together. */
const MAX_STEP_BYTES = 300_000;
const MIN_OUTPUT_BYTES = 1_000;

/**
 * The oldest entries, which are condensed so that the rest fits; undefined when that would gain nothing. A call and
 * its results stay together, because a model refuses one without the other.
 */
export function foldable(entries: readonly Entry[], limitTokens: number): Entry[] | undefined {
  let keptShare = 0;
  let from = entries.length;
  for (const start of groupStarts(entries).reverse()) {
    keptShare += share(entries.slice(start, from), limitTokens);
    if (keptShare > KEPT_SHARE || !fitsBeside(entries, start, limitTokens)) break;
    from = start;
  }
  const last = groupStarts(entries).at(-1) ?? 0;
  // The results of the latest step stay as they are if they fit at all.
  if (from === entries.length && fitsBeside(entries, last, limitTokens)) from = last;
  const folded = oldest(entries.slice(0, from), limitTokens);
  const request = keptRequest(folded, entries.slice(folded.length));
  // Condensing a summary alone would only lose words.
  return folded.some((entry) => entry.role !== 'summary' && entry !== request) ? folded : undefined;
}

/** Whether the entries from `start` on fit beside a summary and the current request. */
function fitsBeside(entries: readonly Entry[], start: number, limitTokens: number): boolean {
  const request = keptRequest(entries.slice(0, start), entries.slice(start));
  const remaining = [...(request ? [request] : []), ...entries.slice(start)];
  return share(remaining, limitTokens) + SUMMARY_SHARE + SUMMARY_TOKENS / limitTokens <= 1;
}

/** The first groups, as many as one activity condenses; at least one. */
function oldest(entries: Entry[], limitTokens: number): Entry[] {
  const isTooMuch = (some: Entry[]) =>
    bytesOf(some) > MAX_FOLDED_BYTES || tokensOf(some) > MAX_FOLDED_CONTEXTS * limitTokens;
  let some = entries;
  while (isTooMuch(some)) {
    const shorter = some.slice(0, groupStarts(some).at(-1));
    if (shorter.length === 0) break;
    some = shorter;
  }
  return some;
}

/**
 * The entries without their oldest ones, if they are many more than a conversation may have: each turn ended before
 * they could be condensed, because the model cannot be reached or the person stopped it.
 */
export function withoutExcess(entries: Entry[]): Entry[] {
  if (bytesOf(entries) <= 2 * MAX_CONTEXT_BYTES) return entries;
  const from = groupStarts(entries).find((start) => bytesOf(entries.slice(start)) <= MAX_CONTEXT_BYTES);
  return [asideOf(DROPPED, 24), ...entries.slice(from ?? entries.length)];
}

const DROPPED = 'The older part of the conversation was dropped, because it could not be condensed in time.';

/** A notice that is not a request, and is condensed like any other entry. */
export const asideOf = (text: string, tokens: number): Entry => ({
  role: 'notice',
  tokens,
  text,
  aside: true,
});

/** The person's current request, if it is among the condensed entries: it stays verbatim. */
export function keptRequest(folded: readonly Entry[], rest: readonly Entry[]): Entry | undefined {
  return rest.some(isRequest) ? undefined : folded.findLast(isRequest);
}

const isRequest = (entry: Entry) =>
  entry.role === 'person' || (entry.role === 'notice' && entry.aside !== true);

/** Whether an entry can stay verbatim. A longer message would leave no room for its answer. */
export function fitsVerbatim(entry: Entry, limitTokens: number): boolean {
  return share([entry], limitTokens) <= KEPT_LATEST;
}

/** The larger of the entries' shares of the two limits. */
function share(entries: readonly Entry[], limitTokens: number): number {
  return Math.max(tokensOf(entries) / limitTokens, bytesOf(entries) / MAX_CONTEXT_BYTES);
}

export const tokensOf = (entries: readonly Entry[]): number =>
  entries.reduce((total, { tokens }) => total + tokens, 0);

/** The maximum number of bytes of the result of the next of `pending` calls. */
export function outputRoom(entries: readonly Entry[], pending: number): number {
  const modelIndex = entries.findLastIndex(({ role }) => role === 'model');
  const room = MAX_STEP_BYTES - bytesOf(entries.slice(modelIndex + 1));
  return Math.max(MIN_OUTPUT_BYTES, Math.floor(room / pending));
}

/** The indexes of the entries that are not results of earlier calls. */
function groupStarts(entries: readonly Entry[]): number[] {
  return entries.flatMap(({ role }, at) => (role === 'tool' ? [] : [at]));
}

/** The entries as text, for a model that condenses them. */
export function transcriptOf(entries: readonly Entry[]): string[] {
  return entries.map((entry) => {
    switch (entry.role) {
      case 'person':
        return `PERSON: ${withClock(entry.text, entry)}`;
      case 'model':
        return [
          ...(entry.text === '' ? [] : [`ASSISTANT: ${entry.text}`]),
          ...entry.calls.map(({ tool, args }) => `CALL ${tool}: ${JSON.stringify(args)}`),
        ].join('\n');
      case 'tool':
        return `RESULT ${entry.tool}: ${JSON.stringify(entry.output)}`;
      case 'notice':
        return `BATCHGATE: ${withClock(entry.text, entry)}`;
      case 'summary':
        return `SUMMARY (${originalsOf(entry)}): ${entry.text}`;
    }
  });
}

/** The place of the entries that a summary replaces. */
export function originalsOf({ ref, cut }: { ref?: string; cut?: true }): string {
  if (ref === undefined) return 'the originals were not kept';
  return cut
    ? `only the beginning of the originals was kept, under ref:${ref}`
    : `the originals are under ref:${ref}`;
}

/** Joins texts into parts of at most this many tokens each. A longer text is cut into several parts. */
export function partsOf(
  texts: readonly string[],
  limitTokens: number,
  count: (text: string) => number,
): string[] {
  const parts: string[] = [];
  let part = '';
  for (const piece of texts.flatMap((text) => pieces(text, limitTokens, count))) {
    const joined = part === '' ? piece : `${part}\n${piece}`;
    if (part !== '' && count(joined) > limitTokens) {
      parts.push(part);
      part = piece;
    } else part = joined;
  }
  return part === '' ? parts : [...parts, part];
}

function pieces(text: string, limitTokens: number, count: (text: string) => number): string[] {
  const middle = middleOf(text);
  if (middle === text.length || count(text) <= limitTokens) return [text];
  return [
    ...pieces(text.slice(0, middle), limitTokens, count),
    ...pieces(text.slice(middle), limitTokens, count),
  ];
}

/** The second half of a surrogate pair. Strict providers refuse half of a pair, in every later request too. */
const SECOND_HALF = /[\uDC00-\uDFFF]/;

/** The middle of a text, between two characters; the end of a text of one character. */
function middleOf(text: string): number {
  const middle = Math.min(text.length, Math.max(1, Math.floor(text.length / 2)));
  return SECOND_HALF.test(text.charAt(middle)) ? middle + 1 : middle;
}
