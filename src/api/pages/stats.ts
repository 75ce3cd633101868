import { statsOf } from '../../commands/stats';
import type { StatsRow } from '../../contract/stats';
import { spanText } from '../../core/shared/time-spans';
import { principalOf, type Api, type ApiContext } from '../context';
import type { Principal } from '../principal';
import { queryOf, text } from './forms';
import { html, layout, nothing, plural, type Html } from './html';
import { sendPage } from './send';
import { actionName, toolName } from './vocabulary';

const TIMES = {
  '1d': 'Last day',
  '7d': 'Last 7 days',
  '30d': 'Last 30 days',
  all: 'All that is kept',
} as const;
type Time = keyof typeof TIMES;

export function addStatsPage(pages: Api, context: ApiContext): void {
  const { client, taskQueue } = context;
  pages.get('/stats', { schema: { hide: true } }, async (request, reply) => {
    const principal = principalOf(request);
    const choice = text(queryOf(request), 'since') ?? '';
    const time = choice in TIMES ? (choice as Time) : '7d';
    const since = time === 'all' ? undefined : time;
    const { session_prefix } = principal;
    const { items } = await statsOf(client, { since }, { task_queue: taskQueue, session_prefix });
    return sendPage(reply, statsPage(items, time, principal));
  });
}

const statsPage = (rows: readonly StatsRow[], time: Time, principal: Principal): Html =>
  layout({
    title: 'Statistics',
    principal,
    body: html`<p class="overline"><a href="/">Inbox</a></p>
      <h1>Statistics</h1>
      <form class="filters" method="get" action="/stats">
        <label
          >Started<select name="since">
            ${Object.entries(TIMES).map(
              ([value, words]) =>
                html`<option value="${value}" ${value === time ? 'selected' : ''}>${words}</option>`,
            )}
          </select></label
        >
        <button class="secondary">Show these</button>
      </form>
      ${rows.length === 0 ? html`<p class="lead">No operation was started in this time.</p>` : rows.map(card)}`,
  });

function card(row: StatsRow, at: number): Html {
  const { domain, action, operations, items } = row;
  return html`<section class="facts-list" aria-labelledby="stats-${at}">
    <h2 id="stats-${at}">${actionName(action)} · ${toolName(domain)}</h2>
    <p>${plural(operations, 'operation')}: ${endsOf(row)}.</p>
    <dl>
      ${line('Questions', questionsText(row))} ${line('Time to decide', decideText(row))}
      ${line('Time shown', readText(row))} ${line('Items', `${items}, of which ${row.succeeded} were done`)}
      ${line('Left out', shareText(row.left_out, row.share_left_out))}
      ${line('Failed', shareText(row.failed, row.share_failed))}
      ${line('In doubt', shareText(row.in_doubt, row.share_in_doubt))}
      ${line('Undone', shareText(row.undone, row.share_undone))}
    </dl>
  </section>`;
}

const line = (name: string, value: string | undefined): Html =>
  value === undefined
    ? nothing
    : html`<div>
        <dt>${name}</dt>
        <dd>${value}</dd>
      </div>`;

function endsOf(row: StatsRow): string {
  const ends = ['completed', 'cancelled', 'expired', 'rejected', 'live'] as const;
  const words = { live: 'open', rejected: 'refused' };
  return ends
    .filter((end) => row[end] > 0)
    .map((end) => `${row[end]} ${end in words ? words[end as keyof typeof words] : end}`)
    .join(', ');
}

const questionsText = ({ questions, answered }: StatsRow): string | undefined => {
  const expired = questions - answered;
  return questions === 0 ? undefined : `${answered} answered${expired > 0 ? `, ${expired} expired` : ''}`;
};

function decideText({ median_seconds_to_decide: half, p90_seconds_to_decide: most }: StatsRow) {
  if (half === undefined || most === undefined) return undefined;
  return `Half within ${spanText(half)}, nine of ten within ${spanText(most)}`;
}

function readText({ read, answered, median_seconds_read: half }: StatsRow): string | undefined {
  if (answered === 0) return undefined;
  if (half === undefined) return 'Not known';
  return `Half for ${spanText(half)} or less${read < answered ? `; known of ${read} of ${answered}` : ''}`;
}

const shareText = (count: number, share = 0): string | undefined =>
  count === 0 ? undefined : `${count} (${share < 0.01 ? 'less than 1' : Math.round(share * 100)} %)`;
