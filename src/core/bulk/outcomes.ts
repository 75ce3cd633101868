import type { OutcomeCode, OutcomeDetail, Outcomes } from '../../contract/items';
import { bytesOf, withinBytes } from '../shared/bounds';
import type { ItemOutcome } from '../../contract/operation';
import type { BulkItem, BulkResult } from '../../contract/items';

export const OUTCOME_OF: Record<OutcomeCode, ItemOutcome> = {
  p: 'pending',
  s: 'succeeded',
  f: 'failed',
  k: 'skipped',
  d: 'in_doubt',
};

export interface OutcomeCounts {
  succeeded: number;
  failed: number;
  skipped: number;
  in_doubt: number;
  pending: number;
}

/** The outcome at a place of a code string; a missing one is pending. */
export function codeAt(codes: string, index: number): OutcomeCode {
  const code = codes[index];
  return code === 's' || code === 'f' || code === 'k' || code === 'd' ? code : 'p';
}

/** Counts each outcome in a code string. Each turn counts the whole plan, so the loop compares numbers for speed. */
export function countOutcomes(codes: string): OutcomeCounts {
  const tally = new Uint32Array(128);
  for (let index = 0; index < codes.length; index++) {
    const code = codes.charCodeAt(index);
    tally[code] = (tally[code] ?? 0) + 1;
  }
  const of = (code: OutcomeCode) => tally[code.charCodeAt(0)] ?? 0;
  const counts = { succeeded: of('s'), failed: of('f'), skipped: of('k'), in_doubt: of('d') };
  const { succeeded, failed, skipped, in_doubt } = counts;
  return { ...counts, pending: codes.length - succeeded - failed - skipped - in_doubt };
}

/** The places of some outcomes in a code string, in order. */
export function placesOf(codes: string, outcomes: readonly OutcomeCode[]): number[] {
  const pattern = new RegExp(`[${outcomes.join('')}]`, 'g');
  return Array.from(codes.matchAll(pattern), ({ index }) => index);
}

/** The maximum bytes of the errors of one batch together. The ledger has each error unchanged. */
const MAX_ERRORS_BYTES = 65_536;

/** Packs outcomes, in order, into a code string and details: the form in which a batch's outcomes are written. */
export function packOutcomes(entries: readonly ({ code: OutcomeCode } & OutcomeDetail)[]): Outcomes {
  const errors = entries.flatMap(({ error }) => error ?? []);
  const cut = bytesOf(errors) > MAX_ERRORS_BYTES;
  const share = cut ? Math.floor(MAX_ERRORS_BYTES / errors.length) : Infinity;
  const details: Record<string, OutcomeDetail> = {};
  entries.forEach(({ error, retryable }, position) => {
    if (error === undefined && retryable === undefined) return;
    details[position] = {
      ...(error !== undefined && { error: cut ? withinBytes(error, share) : error }),
      ...(retryable !== undefined && { retryable }),
    };
  });
  const codes = entries.map(({ code }) => code).join('');
  return Object.keys(details).length === 0 ? { codes } : { codes, details };
}

/**
 * Merges the outcomes of some plan indices into those of the whole plan. A pending one has no effect. Only the part
 * between the first and the last of them is rebuilt, so a batch of a large plan costs no more than one of a small plan.
 */
export function mergeOutcomes(
  whole: Required<Outcomes>,
  indices: readonly number[],
  part: Outcomes,
): Required<Outcomes> {
  if (indices.length === 0) return { codes: whole.codes, details: whole.details };
  const first = Math.min(...indices);
  const end = Math.max(...indices) + 1;
  const between = [...whole.codes.slice(first, end)];
  const details = { ...whole.details };
  indices.forEach((index, position) => {
    const code = codeAt(part.codes, position);
    if (code === 'p') return;
    between[index - first] = code;
    const detail = part.details?.[position];
    if (detail) details[index] = detail;
    else delete details[index];
  });
  return { codes: `${whole.codes.slice(0, first)}${between.join('')}${whole.codes.slice(end)}`, details };
}

interface MatchedResults {
  /** One result per item, in the items' order; missing results are left out. */
  results: BulkResult[];
  /** Items without a result, or with two that differ. */
  missing: string[];
  /** The item ids of results that match no item. */
  foreign: string[];
}

/** Compares an adapter's answer with the given items: there must be exactly one result for each. */
export function matchResults(items: readonly BulkItem[], answer: readonly BulkResult[]): MatchedResults {
  const ids = new Set(items.map(({ id }) => id));
  const results: BulkResult[] = [];
  const missing: string[] = [];
  for (const { id } of items) {
    const [first, ...others] = answer.filter((result) => result.item_id === id);
    if (first && others.every((other) => other.success === first.success)) results.push(first);
    else missing.push(id);
  }
  return { results, missing, foreign: answer.map(({ item_id }) => item_id).filter((id) => !ids.has(id)) };
}
