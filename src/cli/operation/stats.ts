import type { Command } from 'commander';
import type { z } from 'zod';
import { statsCommand, statsOf } from '../../commands/stats';
import type { StatsRow } from '../../contract/stats';
import { momentOf, MOMENT_WORDS } from '../../core/shared/moments';
import { spanText } from '../../core/shared/time-spans';
import { withClient } from '../connect';
import { withFlags } from '../flags';
import { note, print, printJson, table, UsageError } from '../output';
import { verb } from '../verb';

export function addStatsVerb(program: Command): void {
  withFlags(verb(program, 'stats', statsCommand, stats), statsCommand, {
    domain: '--domain <name>',
    action: '--action <name>',
    since: '--since <time>',
    until: '--until <time>',
  });
}

async function stats(json: boolean, flags: z.output<typeof statsCommand.input>): Promise<void> {
  for (const name of ['since', 'until'] as const) {
    const text = flags[name];
    if (text !== undefined && momentOf(text, 0) === undefined)
      throw new UsageError(`--${name} cannot be '${text}'.`, `Give ${MOMENT_WORDS}.`);
  }
  const { items } = await withClient((client, task_queue) => statsOf(client, flags, { task_queue }));
  if (json) return items.forEach(printJson);
  if (items.length === 0) return note('No operation was started in this time.');
  print(table(HEADER, items.map(cells)));
}

const HEADER = [
  ...['what', 'operations', 'completed', 'cancelled', 'expired', 'questions', 'half decided in'],
  ...['9 of 10 in', 'items', 'left out', 'failed', 'in doubt', 'undone'],
];

const cells = (row: StatsRow): string[] => [
  `${row.action} on ${row.domain}`,
  ...[row.operations, row.completed, row.cancelled, row.expired, row.questions].map(String),
  spanOf(row.median_seconds_to_decide),
  spanOf(row.p90_seconds_to_decide),
  String(row.items),
  ...[row.share_left_out, row.share_failed, row.share_in_doubt, row.share_undone].map(percent),
];

const spanOf = (seconds: number | undefined): string => (seconds === undefined ? '-' : spanText(seconds));

const percent = (share: number | undefined): string =>
  share === undefined ? '-' : `${share > 0 && share < 0.01 ? '<1' : Math.round(share * 100)} %`;
