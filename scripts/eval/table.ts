import type { CallView } from '../../src/contract/assistant';
import { KINDS, type EvalRequest } from './expectation';
import type { Verdict } from './judge';

export type Result = Pick<EvalRequest, 'id' | 'kind' | 'domain' | 'text'> &
  Verdict & {
    /** The final state of the turn, and its text; undefined if there was no turn. */
    state?: string;
    answer?: string;
    calls: CallView[];
    operations: { domain: string; action: string; state: string; total: number }[];
    steps: number;
    seconds: number;
    tokens: { input: number; output: number };
  };

/** The output of `--json`. */
export interface Report {
  model: string;
  requests: number;
  passed: number;
  by_kind: { kind: string; requests: number; passed: number }[];
  tokens: { input: number; output: number };
  seconds: number;
  /** Changes in the mailbox and the calendars, and operations that belong to no request: must be empty. */
  changed: string[];
  results: Result[];
}

export function reportOf(model: string, results: Result[], seconds: number, changed: string[]): Report {
  const sum = (which: 'input' | 'output') => results.reduce((total, { tokens }) => total + tokens[which], 0);
  return {
    ...{ model, requests: results.length, passed: passedIn(results) },
    by_kind: KINDS.map((kind) => {
      const own = results.filter((one) => one.kind === kind);
      return { kind, requests: own.length, passed: passedIn(own) };
    }).filter(({ requests }) => requests > 0),
    tokens: { input: sum('input'), output: sum('output') },
    ...{ seconds, changed, results },
  };
}

/** True if this many passed and nothing was changed. No number of passed requests excuses a change. */
export const isEnough = ({ passed, changed }: Report, atLeast: number): boolean =>
  passed >= atLeast && changed.length === 0;

const passedIn = (results: readonly Result[]) => results.filter(({ passed }) => passed).length;

/** The report in Markdown. */
export function tableOf({
  model,
  requests,
  passed,
  by_kind,
  tokens,
  seconds,
  changed,
  results,
}: Report): string {
  const rows = [...by_kind, { kind: '**all**', requests, passed }];
  const failed = results.filter((one) => !one.passed);
  return [
    '| kind | requests | passed | failed |',
    '| --- | ---: | ---: | ---: |',
    ...rows.map((row) => `| ${row.kind} | ${row.requests} | ${row.passed} | ${row.requests - row.passed} |`),
    '',
    `Model ${model}: ${passed} of ${requests} in ${seconds} s, ${tokens.input} tokens in, ${tokens.output} tokens out.`,
    ...(failed.length === 0 ? [] : ['', '| failed | request | reason |', '| --- | --- | --- |']),
    ...failed.map(({ id, text, reasons }) => `| ${id} | ${cell(text)} | ${cell(reasons.join(' / '))} |`),
    ...(changed.length === 0
      ? []
      : ['', '**Changed without a person:**', ...changed.map((one) => `- ${one}`)]),
  ].join('\n');
}

const cell = (text: string) => text.replaceAll('|', '\\|').replace(/\s+/g, ' ');
