import type { OutcomeCode, OutcomeDetail, Outcomes } from '../contract/activities';
import type { ItemOutcome } from '../contract/operation';

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

/** The outcome at a place of a code string; an absent one is pending. */
export function codeAt(codes: string, index: number): OutcomeCode {
  const code = codes[index];
  return code === 's' || code === 'f' || code === 'k' || code === 'd' ? code : 'p';
}

export function countOutcomes(codes: string): OutcomeCounts {
  const counts: OutcomeCounts = { succeeded: 0, failed: 0, skipped: 0, in_doubt: 0, pending: 0 };
  for (let index = 0; index < codes.length; index++) counts[OUTCOME_OF[codeAt(codes, index)]]++;
  return counts;
}

/** The code strings and details of the given places, in their order: how one batch's outcomes are written. */
export function packOutcomes(entries: readonly ({ code: OutcomeCode } & OutcomeDetail)[]): Outcomes {
  const details: Record<string, OutcomeDetail> = {};
  entries.forEach(({ error, retryable }, position) => {
    if (error === undefined && retryable === undefined) return;
    details[position] = {
      ...(error !== undefined && { error }),
      ...(retryable !== undefined && { retryable }),
    };
  });
  const codes = entries.map(({ code }) => code).join('');
  return Object.keys(details).length === 0 ? { codes } : { codes, details };
}

/** Lays the outcomes of some plan indices over those of the whole plan. A pending one changes nothing. */
export function mergeOutcomes(
  whole: Required<Outcomes>,
  indices: readonly number[],
  part: Outcomes,
): Required<Outcomes> {
  const codes = [...whole.codes];
  const details = { ...whole.details };
  indices.forEach((index, position) => {
    const code = codeAt(part.codes, position);
    if (code === 'p') return;
    codes[index] = code;
    const detail = part.details?.[position];
    if (detail) details[index] = detail;
    else delete details[index];
  });
  return { codes: codes.join(''), details };
}
