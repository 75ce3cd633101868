import type * as Tokenizer from 'gpt-tokenizer';
import type { Json } from '../../src/contract/macro';
import { cutAt } from '../../src/contract/text';
import { guardOutput } from '../../src/core/gateway/output';
import { optional } from '../../src/host/optional';

/** Longer texts are counted in parts: the tokenizer's time is quadratic for a repeated character. */
const PART = 500;

/** Counts the tokens of a text in the encoding of current models (o200k). Other models differ by a few percent. */
export function countTokens(text: string): number {
  const { countTokens: count } = optional<typeof Tokenizer>('gpt-tokenizer');
  let tokens = 0;
  // A control token in a text is treated as text.
  for (let at = 0; at < text.length; at += PART)
    tokens += count(text.slice(at, at + PART), { disallowedSpecial: new Set() });
  return tokens;
}

/** Returns the beginning of a text, with at most `limit` tokens. */
export function firstTokens(text: string, limit: number): string {
  let beginning = text;
  for (
    let tokens = countTokens(beginning);
    tokens > limit && beginning !== '';
    tokens = countTokens(beginning)
  )
    beginning = cutAt(beginning, Math.floor((beginning.length * limit * 0.95) / tokens));
  return beginning;
}

/** The limits of a value as JSON. */
export interface Limits {
  tokens: number;
  bytes: number;
}

/** True if a value is within both limits. */
export const fits = (value: Json, limits: Limits): boolean => shareOf(value, limits) <= 1;

function shareOf(value: Json, { tokens, bytes }: Limits): number {
  const text = JSON.stringify(value);
  const share = Buffer.byteLength(text) / bytes;
  // Counting is slow, so it is skipped for a text that is too large in bytes.
  return share > 1 ? share : Math.max(share, countTokens(text) / tokens);
}

/** Cuts a result to these limits and marks the cut. The guard itself counts characters. */
export function cutTo(value: Json, limits: Limits): Json {
  if (fits(value, limits)) return value;
  for (let room = Math.min(limits.tokens, Math.floor(limits.bytes / BYTES_PER_TOKEN)); ;) {
    const cut = guardOutput(value, room) as Json;
    const share = shareOf(cut, limits);
    if (share <= 1 || room < 1) return cut;
    room = Math.floor((room * 0.95) / share);
  }
}

/** Characters per token in English text, as the guard estimates them. */
const BYTES_PER_TOKEN = 4;
