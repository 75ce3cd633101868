import { cpus, loadavg } from 'node:os';
import type { Findings } from './record';
import type { Result } from './run';

const MUST_NOT_BE: Record<keyof Findings, string> = {
  unconfirmed: 'touches without a confirmation',
  twice: 'items applied twice without being named in doubt',
  lost: 'items, decisions or operations lost',
  stuck: 'operations stuck after the last fault',
  unreplayable: 'histories that do not replay',
};

export const isClean = (result: Result): boolean => findingsOf(result).length === 0;

/** The table of docs/reliability.md, for one run. */
export function tableOf(result: Result): string {
  const { options, findings, recoveries, seconds } = result;
  const faults = Object.entries(result.faults).sort(([one], [other]) => one.localeCompare(other));
  const rows: [string, string | number][] = [
    ['faults', faults.reduce((sum, [, count]) => sum + count, 0)],
    ...faults.map(([kind, count]): [string, number] => [`– ${kind}`, count]),
    ['operations', result.operations],
    ['items', result.items],
    ['requests at the target', result.touches],
    ['confirmations accepted', result.confirmations],
    ['confirmations refused', result.refused],
    ['items named in doubt', result.in_doubt],
    ['workers that ended by themselves', result.endedThemselves],
    ...(Object.entries(MUST_NOT_BE) as [keyof Findings, string][]).map(([kind, what]): [string, string] => [
      `**${what}**`,
      `**${findings[kind].length}**`,
    ]),
    ['from a restart of the workers to the next answered batch', spreadOf(recoveries)],
    ['histories replayed', result.replayed],
    ['duration', `${seconds} s`],
    ['ledger, workers, network', `${options.database}, ${options.workers}, ${result.network}`],
    ['seed', options.seed],
    ['machine', `${cpus().length} cores, load ${loadavg()[0]?.toFixed(1) ?? '?'} at the end`],
  ];
  return ['| | |', '| --- | ---: |', ...rows.map(([what, value]) => `| ${what} | ${value} |`)].join('\n');
}

/** All findings, as lines. */
export const findingsOf = ({ findings }: Result): string[] =>
  (Object.entries(findings) as [keyof Findings, string[]][]).flatMap(([kind, lines]) =>
    lines.map((line) => `${MUST_NOT_BE[kind]}: ${line}`),
  );

function spreadOf(times: readonly number[]): string {
  const sorted = [...times].sort((one, other) => one - other);
  const at = (share: number) =>
    `${((sorted[Math.floor((sorted.length - 1) * share)] ?? 0) / 1_000).toFixed(1)} s`;
  return sorted.length === 0 ? '–' : `median ${at(0.5)}, slowest ${at(1)}`;
}
