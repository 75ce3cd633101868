import { z } from 'zod';
import { cancelTaskRun, completeTaskRun, getTaskRun, latestChange } from '../../client';
import type { TaskRunStatus } from '../../contract/task-run';
import { upTo } from '../../contract/text';
import { capitalized, oneLine, visibleText } from '../../core/shared/plain-text';
import { principalOf, type Api, type ApiContext } from '../context';
import { decidedBy } from '../read-since';
import type { Principal } from '../principal';
import { allowed } from '../commands';
import { answered, refuse, type Answered } from './answered';
import { notice } from './error-page';
import { fieldsOf, queryOf, required } from './forms';
import {
  fact,
  formToken,
  html,
  layout,
  live,
  may,
  moment,
  named,
  nothing,
  path,
  plural,
  prose,
  type Html,
} from './html';
import { sendPage } from './send';
import { decideOnce, decides, showingField, showingOf, type Showing } from './showing';
import { openIf, typedIn, typedWords } from './typed';
import { forPeople } from './words';

const schema = { hide: true, params: z.object({ task_run_id: upTo(1_000).min(1) }) };

/** The page of a task run: its progress, and the decisions that a person can make about it. */
export function addTaskRunPages(pages: Api, context: ApiContext): void {
  const { client } = context;
  pages.get('/task-runs/:task_run_id', { schema }, async (request, reply) => {
    const { task_run_id } = request.params;
    const principal = principalOf(request);
    const showing = showingOf(context, principal.id, queryOf(request));
    const refused = await answered(context, request, reply, principal.id);
    const mark = await latestChange(client, task_run_id);
    const run = await getTaskRun(client, task_run_id);
    return sendPage(reply, taskRunPage(run, { principal, showing, mark, refused }));
  });
  for (const verb of ['complete', 'cancel'] as const) {
    pages.post(`/task-runs/:task_run_id/${verb}`, { schema }, async (request, reply) => {
      const { task_run_id } = request.params;
      const { by } = decidedBy(context, request, undefined);
      const fields = fieldsOf(request);
      const [own, reader] = [path('task-runs', task_run_id), principalOf(request).id];
      try {
        await decideOnce(context, { reader, verb, fields }, async () => {
          if (verb === 'cancel') await cancelTaskRun(client, task_run_id);
          else {
            const reason = required(fields, 'reason', 'The reason');
            allowed(await completeTaskRun(client, task_run_id, { force: true, reason, by }));
          }
        });
      } catch (error) {
        return refuse(context, request, reply, { own, reader }, error);
      }
      return reply.redirect(own, 303);
    });
  }
}

interface Page {
  principal: Principal;
  showing: Showing;
  /** The latest change before the task run was read. */
  mark: string;
  refused: Answered | undefined;
}

function taskRunPage(run: TaskRunStatus, page: Page): Html {
  const { goal } = run;
  const { principal, showing, mark, refused } = page;
  const own = path('task-runs', run.task_run_id);
  return layout({
    title: oneLine(goal).slice(0, 100),
    principal,
    body: html`${refused?.error ? notice(refused.error, 'Nothing changed') : nothing}
    ${refused && run.state !== 'running' ? typedWords(refused.fields) : nothing}
    ${live({ own, on: run.state === 'running' ? { job: run.task_run_id } : undefined, since: { mark } }, showingField(showing), liveBody(run, own, page))}`,
  });
}

function liveBody(run: TaskRunStatus, own: string, page: Page): Html {
  const { state } = run;
  const { principal } = page;
  const mayDecide = may(principal.role, 'POST /task-runs/{task_run_id}/complete');
  return html`<p class="overline">
      <span class="state ${state}">${capitalized(state)}</span> task run · ${moment(run.created_at)}
    </p>
    ${standing(run)} ${state === 'running' && mayDecide ? decisions(own, page) : nothing}
    ${latest(
      'Done last',
      run.completed.map((item) => entry(item)),
    )}
    ${latest(
      'Failed',
      run.failed.map(({ item, reason }) => entry(item, reason)),
    )}
    ${latest(
      'Skipped',
      run.skipped.map(({ item, reason }) => entry(item, reason)),
    )}
    <footer class="facts-list">
      <dl>${fact('Task run', run.task_run_id)} ${fact('Session', run.session_id)}</dl>
    </footer>`;
}

function standing(run: TaskRunStatus): Html {
  const { completed_count, failed_count, skipped_count, expected_total, guard, forced } = run;
  const counts = [
    `${completed_count}${expected_total === undefined ? '' : ` of ${expected_total}`} done`,
    ...(failed_count > 0 ? [`${failed_count} failed`] : []),
    ...(skipped_count > 0 ? [`${skipped_count} skipped`] : []),
  ].join(', ');
  const missing = run.state === 'running' && !guard.allowed;
  return html`<section class="standing">
    <h1>${named(run.goal, 500)}</h1>
    <p class="sentence">${counts}. Last change ${moment(run.updated_at)}.</p>
    ${forced ? html`<p>Completed by ${named(forced.by ?? 'somebody', 80)}: ${named(forced.reason, 500)}</p>` : nothing}
    ${terms(run)}
    ${missing ? html`<p class="hint">${prose(forPeople(guard.reason ?? ''))} ${prose(forPeople(guard.suggested_next_action ?? ''))}</p>` : nothing}
  </section>`;
}

/** The conditions of the contract other than the counts. */
function terms(run: TaskRunStatus): Html {
  const { min_completed, stop_condition, stop_condition_satisfied, failed_policy, skipped_policy } = run;
  const conditions = [
    ...(min_completed === undefined ? [] : [`At least ${min_completed} must be completed.`]),
    ...(stop_condition === undefined
      ? []
      : [
          `Stop condition: “${oneLine(stop_condition)}”, ${stop_condition_satisfied ? '' : 'not '}marked satisfied.`,
        ]),
    ...(failed_policy === undefined ? [] : [`Failed: ${POLICIES[failed_policy]}.`]),
    ...(skipped_policy === undefined ? [] : [`Skipped: ${POLICIES[skipped_policy]}.`]),
  ];
  return conditions.length === 0
    ? nothing
    : html`<p class="hint">${prose(visibleText(conditions.join(' ')))}</p>`;
}

const POLICIES = {
  block: 'not allowed',
  allow: 'allowed',
  allow_with_reason: 'allowed with a reason',
} as const;

const entry = (item: string, reason?: string): Html =>
  html`${named(item)}
  ${reason === undefined ? nothing : html`<span class="why">${prose(oneLine(reason))}</span>`}`;

function latest(title: string, rows: Html[]): Html {
  if (rows.length === 0) return nothing;
  return html`<h2>${title} <span class="count">${plural(rows.length, 'entry', 'entries')}</span></h2>
    <ul class="errors">
      ${rows.map((row) => html`<li>${row}</li>`)}
    </ul>`;
}

function decisions(own: string, { principal, showing, refused }: Page): Html {
  const reason = typedIn(refused, 'complete', 'reason');
  const token = formToken(principal);
  return html`<div class="others">
    <details id="complete" ${openIf(reason)}>
      <summary>Complete…</summary>
      <form class="card" method="post" action="${own}/complete">
        ${decides(showing, 'complete')} ${token}<label for="reason">Why is it complete?</label>
        <input id="reason" name="reason" maxlength="500" required value="${reason}" />
        <button class="secondary" data-busy="Completing…">Complete the task run</button>
      </form>
    </details>
    <details>
      <summary>Cancel…</summary>
      <form class="card" method="post" action="${own}/cancel">
        ${decides(showing, 'cancel')} ${token}
        <p class="hint">What was done stays done.</p>
        <button class="danger" data-busy="Cancelling…">Cancel the task run</button>
      </form>
    </details>
  </div>`;
}
