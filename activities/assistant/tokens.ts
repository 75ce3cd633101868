import type * as Tokenizer from 'gpt-tokenizer';
import type { Json } from '../../src/contract/macro';
import { guardOutput } from '../../src/core/gateway/output';
import { optional } from '../../src/host/optional';

/** Longer texts are counted in parts: for a repeated character the tokenizer's time is quadratic. */
const PART = 500;

/** How many tokens a text has, by the encoding of current models (o200k); other models differ by some percent. */
export function countTokens(text: string): number {
  const { countTokens: count } = optional<typeof Tokenizer>('gpt-tokenizer');
  let tokens = 0;
  // A control token in a text is treated as text.
  for (let at = 0; at < text.length; at += PART)
    tokens += count(text.slice(at, at + PART), { disallowedSpecial: new Set() });
  return tokens;
}

/** The beginning of a text, with at most this many tokens. */
export function firstTokens(text: string, limit: number): string {
  let shown = text;
  for (let tokens = countTokens(shown); tokens > limit && shown !== ''; tokens = countTokens(shown))
    shown = shown.slice(0, Math.floor((shown.length * limit * 0.95) / tokens));
  return shown;
}

/** A result cut to this many tokens, with a marker; the guard itself counts characters. */
export function cutToTokens(value: Json, limit: number): Json {
  let cut = value;
  let room = limit;
  for (
    let tokens = countTokens(JSON.stringify(cut));
    tokens > limit;
    tokens = countTokens(JSON.stringify(cut))
  ) {
    room = Math.floor((room * limit * 0.95) / tokens);
    cut = guardOutput(value, room) as Json;
    if (room < 1) break;
  }
  return cut;
}
