import { z } from 'zod';
import { answerMacro, cancelJob, getMacroTrace, latestChange, pauseMacro, resumeMacro } from '../../client';
import { BatchgateError } from '../../contract/errors';
import type { Json } from '../../contract/macro';
import type { MacroQuestion, MacroTrace } from '../../contract/macro-run';
import { upTo } from '../../contract/text';
import { fieldsOfSchema, valuesOf, type FieldMistake, type FormField } from '../../core/approval/schema-form';
import { isEnded } from '../../core/macro/view';
import { oneLine, visibleText } from '../../core/shared/plain-text';
import { principalOf, type Api, type ApiContext } from '../context';
import { decidedBy } from '../read-since';
import type { Principal } from '../principal';
import { answered, refuse, type Answered } from './answered';
import { notice, troubleView } from './error-page';
import { fieldView, mistakeSummary, zoneOf, type Filled } from './fields';
import { fieldsOf, queryOf, text, whole, type Fields } from './forms';
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
import { typedWords } from './typed';
import { sentenceCase } from './vocabulary';
import { inWords } from './words';

const schema = { hide: true, params: z.object({ run_id: upTo(1_000).min(1) }) };

/** The page of a macro run: its questions, which a person answers here, and its steps. */
export function addMacroPages(pages: Api, context: ApiContext): void {
  const { client } = context;
  pages.get('/macros/:run_id', { schema }, async (request, reply) => {
    const { run_id } = request.params;
    const principal = principalOf(request);
    const showing = showingOf(context, principal.id, queryOf(request));
    const refused = await answered(context, request, reply, principal.id);
    const mark = await latestChange(client, run_id);
    const trace = await getMacroTrace(client, run_id);
    return sendPage(reply, macroPage(trace, { principal, showing, mark, refused }));
  });
  const acts = (
    verb: string,
    act: (run_id: string, fields: Fields, by: string, decision_id?: string) => Promise<unknown>,
  ) =>
    pages.post(`/macros/:run_id/${verb}`, { schema }, async (request, reply) => {
      const { run_id } = request.params;
      const { by } = decidedBy(context, request, undefined);
      const fields = fieldsOf(request);
      const [own, reader] = [path('macros', run_id), principalOf(request).id];
      try {
        await decideOnce(context, { reader, verb, fields }, async (decision_id) => {
          await act(run_id, fields, by, decision_id);
        });
      } catch (error) {
        const { mistakes } = error instanceof UnfitAnswer ? error : { mistakes: [] };
        return refuse(context, request, reply, { own, reader, mistakes }, error);
      }
      return reply.redirect(own, 303);
    });
  acts('answer', async (run_id, fields, by, decision_id) => {
    const number = whole(fields, 'question');
    const { questions = [] } = await getMacroTrace(client, run_id);
    const question = questions.find((candidate) => candidate.number === number);
    if (!question) throw noLongerOpen();
    const answer = { answer: answerOf(question, fields), question: question.number, by };
    return answerMacro(client, run_id, answer, { decision_id });
  });
  acts('pause', (run_id) => pauseMacro(client, run_id));
  acts('resume', (run_id) => resumeMacro(client, run_id));
  acts('cancel', async (run_id) => {
    // Fails for a job of another kind.
    await getMacroTrace(client, run_id);
    await cancelJob(client, run_id);
  });
}

const noLongerOpen = () =>
  new BatchgateError(
    'NOT_AWAITING_CONFIRMATION',
    'This question is no longer open.',
    'It was answered, or the macro ended. The steps below show what happened.',
  );

/** A question's form has the single field `answer`, or the fields of its schema. */
const fieldsOfQuestion = ({ output_schema }: MacroQuestion): FormField[] =>
  output_schema === undefined
    ? [{ name: 'answer', label: 'Your answer', kind: 'text', required: true }]
    : fieldsOfSchema({ properties: { answer: output_schema }, required: ['answer'] });

function answerOf(question: MacroQuestion, fields: Fields): Json {
  const { values, mistakes } = valuesOf(
    fieldsOfQuestion(question),
    (name) => text(fields, name),
    zoneOf(fields),
  );
  if (mistakes.length > 0) throw new UnfitAnswer(mistakes);
  return (values['answer'] ?? '') as Json;
}

class UnfitAnswer extends BatchgateError {
  constructor(readonly mistakes: readonly FieldMistake[]) {
    super('INVALID_INPUT', 'A field of the answer does not fit.', 'Correct it, and send the answer again.');
  }
}

interface Page {
  principal: Principal;
  showing: Showing;
  /** The latest change before the run was read. */
  mark: string;
  refused: Answered | undefined;
}

function macroPage(trace: MacroTrace, page: Page): Html {
  const { run_id, macro } = trace;
  const { principal, showing, mark, refused } = page;
  const own = path('macros', run_id);
  return layout({
    title: oneLine(macro).slice(0, 100),
    principal,
    body: html`${refused ? refusalView(trace, refused) : nothing}
    ${live({ own, on: isEnded(trace) ? undefined : { job: run_id }, since: { mark } }, showingField(showing), liveBody(trace, own, page))}`,
  });
}

const isOf = ({ fields }: Filled, { number }: MacroQuestion): boolean =>
  fields.get('question') === String(number);

/** The reason why an answer was refused, with its words if its question is closed and so has no form. */
function refusalView({ questions = [] }: MacroTrace, refused: Answered): Html {
  const { error, mistakes, fields } = refused;
  const question = questions.find((candidate) => isOf(refused, candidate));
  const labels = question ? fieldsOfQuestion(question).map(({ name, label }) => [name, label] as const) : [];
  return html`${
    mistakes.length > 0
      ? mistakeSummary('Nothing was answered', new Map(labels), refused)
      : error && notice(error, 'Nothing was answered by your click')
  }
  ${question ? nothing : typedWords(fields)}`;
}

function liveBody(trace: MacroTrace, own: string, page: Page): Html {
  const { run_id, macro, state, questions = [], session_id } = trace;
  return html`<p class="overline">
      <span class="state ${questions.length > 0 ? 'awaiting_confirmation' : ''}"
        >${questions.length > 0 ? 'Asks you' : sentenceCase(state)}</span
      >
      macro · ${moment(trace.created_at)}
    </p>
    ${questions.map((question) => questionForm(question, own, page))}
    <section class="standing">
      <h1>${named(macro, 200)}</h1>
      <p class="sentence" role="status">
        ${sentenceCase(state)}, ${plural(trace.steps_total, 'step')} begun.
      </p>
      ${trace.error ? troubleView(trace.error) : nothing}
    </section>
    ${isEnded(trace) ? nothing : steering(trace, own, page)} ${operations(trace)} ${steps(trace)}
    <footer class="facts-list">
      <dl>${fact('Macro run', run_id)} ${fact('Session', session_id)}</dl>
    </footer>`;
}

function questionForm(question: MacroQuestion, own: string, { principal, showing, refused }: Page): Html {
  const { number, prompt, asked_at } = question;
  const mayAnswer = may(principal.role, 'POST /macros/{run_id}/answer');
  return html`<section class="question" aria-labelledby="question-${number}">
    <p class="overline">Asked ${moment(asked_at)}</p>
    <h2 class="prompt" id="question-${number}">${prose(visibleText(prompt))}</h2>
    ${
      mayAnswer
        ? html`<form class="answer" method="post" action="${own}/answer" novalidate>
            ${decides(showing, 'answer', String(number))} ${formToken(principal)}<input
              type="hidden"
              name="question"
              value="${number}"
            />
            ${fieldsOfQuestion(question).map((field) => fieldView(field, refused && isOf(refused, question) ? refused : undefined))}
            <button class="primary" data-busy="Sending…">Send the answer</button>
          </form>`
        : html`<p class="hint">Your role may look, and may not answer.</p>`
    }
  </section>`;
}

function steering({ state }: MacroTrace, own: string, { principal, showing }: Page): Html {
  if (!may(principal.role, 'POST /macros/{run_id}/pause')) return nothing;
  const form = (verb: string, label: string, kind: string) =>
    html`<form method="post" action="${own}/${verb}">
      ${decides(showing, verb)} ${formToken(principal)}<button class="${kind}">${label}</button>
    </form>`;
  const isPaused = state === 'paused' || state === 'pausing';
  return html`<div class="follow-ups">
    ${isPaused ? form('resume', 'Resume the macro', 'secondary') : form('pause', 'Pause the macro', 'secondary')}
    ${form('cancel', 'Cancel the macro', 'danger')}
  </div>`;
}

function operations({ operations: ids = [] }: MacroTrace): Html {
  if (ids.length === 0) return nothing;
  return html`<h2>Operations that it waits for</h2>
    <ul class="errors">
      ${ids.map((id) => html`<li><a href="${path('operations', id)}">${named(id, 120)}</a></li>`)}
    </ul>`;
}

function steps({ steps: latest, steps_truncated }: MacroTrace): Html {
  if (latest.length === 0) return nothing;
  return html`<h2>Steps</h2>
    ${steps_truncated ? html`<p class="hint">Only the latest are listed.</p>` : nothing}
    <div class="scroll" tabindex="0" role="group" aria-label="Steps">
      <table>
        <thead>
          <tr>
            <th scope="col" class="n">Step</th>
            <th scope="col">What</th>
            <th scope="col">State</th>
            <th scope="col" class="n">Time</th>
          </tr>
        </thead>
        <tbody>
          ${latest.map(
            ({ number, type, what, state, duration_ms, error }) =>
              html`<tr>
                <td class="n">${number}</td>
                <td>
                  ${type}
                  ${named(what, 200)}${error ? html` <span class="why">${prose(inWords(error).said)}</span>` : nothing}
                </td>
                <td>${sentenceCase(state)}</td>
                <td class="n">
                  ${duration_ms === undefined ? '–' : `${(duration_ms / 1_000).toFixed(1)} s`}
                </td>
              </tr>`,
          )}
        </tbody>
      </table>
    </div>`;
}
