import { randomUUID } from 'node:crypto';
import { noModel, type AssistantStatus, type Streamed, type TurnView } from '../../contract/assistant';
import type { BulkStatus } from '../../contract/operation';
import type { Approver } from '../../contract/policy';
import { mayInstruct } from '../../core/access/permissions';
import { budgetText } from '../../core/assistant/restoration';
import { isOver } from '../../core/assistant/session';
import { selectionOf } from '../../core/approval/selection';
import { visibleText } from '../../core/shared/plain-text';
import type { Noun } from '../item-nouns';
import type { Principal } from '../principal';
import type { Answered } from './answered';
import { notice, troubleView } from './error-page';
import {
  fact,
  formToken,
  html,
  layout,
  live,
  may,
  named,
  nothing,
  path,
  plural,
  prose,
  type Html,
} from './html';
import { sentence, standing, titleOf } from './operation-view';
import { namesIn, nextText, questionView } from './question';
import { bar, lastDecision } from './record';
import { decides, showingField, type Showing } from './showing';
import type { SigningView } from './signing';
import { typedIn } from './typed';
import { sentenceCase } from './vocabulary';
import { doorOf } from './door';
import { forPeople } from './words';

/** A session, with its assistant if it has one. */
export interface Conversation {
  session_id: string;
  assistant?: AssistantStatus;
  /** The model's text so far in the running turn. */
  streamed?: Streamed;
  /** The session's operations that have not ended. */
  open: readonly BulkStatus[];
  /** The operation that ended last. */
  ended?: BulkStatus;
  /** Macro runs with an open question. */
  macros: readonly string[];
}

interface ConversationPage extends Conversation {
  principal: Principal;
  approver: Approver;
  hasModel: boolean;
  /** The nouns for items, by the tool of the open operations. */
  nouns: ReadonlyMap<string, Noun>;
  /** The signatures that open questions need, by operation. */
  signings: ReadonlyMap<string, SigningView | undefined>;
  showing: Showing;
  /** The position in the changes of all operations. */
  mark: string;
  answered: Answered | undefined;
}

export function conversationPage(page: ConversationPage): Html {
  const { session_id, principal, answered } = page;
  const own = path('sessions', session_id);
  return layout({
    title: 'Conversation',
    principal,
    body: html`${answered?.error ? notice(answered.error, 'Your message was not taken') : nothing}
    ${live({ own, on: { session: session_id }, since: { turn: following(page), mark: page.mark } }, showingField(page.showing), liveBody(page, own))}
    ${answered?.reply === undefined ? nothing : replyView(answered.reply)} ${messageForm(page, own)}
    ${dismissal(page, own)}`,
  });
}

/** The turn whose changes the page does not show yet: the running one, or else the next. */
function following({ assistant }: Conversation): number {
  const last = assistant?.turns.at(-1);
  if (!last) return 1;
  return last.state === 'working' ? last.number : last.number + 1;
}

function liveBody(page: ConversationPage, own: string): Html {
  const { session_id, assistant, streamed, open, ended, macros, principal } = page;
  const { turns = [], state, waiting = 0, error } = { ...assistant };
  return html`<p class="overline">
      <span class="state">${state === undefined ? 'New' : WORDS[state]}</span> assistant ·
      ${named(session_id, 100)}
    </p>
    <h1>Conversation</h1>
    <p id="said" role="status">${saidOf(page)}</p>
    ${error ? troubleView(error) : nothing}
    <ol class="turns">
      ${turns.map((turn, at) => turnView(turn, streamed, at === turns.length - 1))}
    </ol>
    ${waiting > 0 ? html`<p class="hint">${plural(waiting, 'message waits', 'messages wait')} for an answer.</p>` : nothing}
    ${working(turns.at(-1), own, principal)} ${open.map((status) => operation(status, page))}
    ${open.length === 0 && ended ? lastOperation(ended) : nothing}
    ${macros.map(
      (id) => html`<p><a href="${path('macros', id)}">A macro asks you: ${named(id, 100)}</a></p>`,
    )}
    ${seenFields(page)}`;
}

/** The announcement of a change for screen readers. */
function saidOf({ assistant, open }: ConversationPage): string {
  if (assistant?.turns.at(-1)?.state === 'working') return 'The assistant is at work.';
  const gate = open.find(({ next_batch }) => next_batch)?.next_batch;
  return gate ? `A question waits for your answer: batch ${gate.number}.` : '';
}

const WORDS = {
  idle: 'Waits for you',
  working: 'At work',
  cleared: 'Ended, since it was idle',
  cancelled: 'Dismissed',
  rejected: 'Refused',
} as const;

function turnView(turn: TurnView, streamed: Streamed | undefined, isLatest: boolean): Html {
  const { number, about, text, state, answer } = turn;
  const isWorking = state === 'working';
  const soFar = streamed?.turn === number ? streamed.text : '';
  const shownAnswer = isWorking ? soFar : answer;
  const marker = isWorking ? html`data-answer="${number}"` : nothing;
  return html`<li class="turn" ${isLatest ? html`id="latest"` : nothing}>
    ${about === 'message' ? html`<p class="person"><b>You</b> <bdi>${visibleText(text)}</bdi></p>` : nothing}
    ${turn.calls.length > 0 ? html`<p class="hint">${callsText(turn)}</p>` : nothing}
    ${shownAnswer === undefined ? nothing : html`<p class="told" dir="auto" ${marker}>${visibleText(shownAnswer)}</p>`}
    ${state === 'stopped' ? html`<p class="hint">Stopped.</p>` : nothing}
  </li>`;
}

const callsText = ({ calls }: TurnView): string =>
  calls
    .map(({ tool, state }) => `${sentenceCase(visibleText(tool))} (${state.replaceAll('_', ' ')})`)
    .join(', ');

/** The remaining budget of a running turn, with a button that stops it. */
function working(turn: TurnView | undefined, own: string, principal: Principal): Html {
  if (turn?.state !== 'working') return nothing;
  return html`<p class="hint">It has ${budgetText(turn)} left.</p>
    <noscript
      ><p><a class="button secondary" href="${own}">Look again</a></p></noscript
    >
    ${
      may(principal.role, 'POST /sessions/{session_id}/stop')
        ? html`<form method="post" action="${own}/stop">
            ${formToken(principal)}<input type="hidden" name="turn" value="${turn.number}" />
            <button class="secondary">Stop this turn</button>
          </form>`
        : nothing
    }`;
}

/** An open operation, with the same form as on its own page, which shows everything else. */
function operation(
  status: BulkStatus,
  { principal, approver, nouns, signings, showing, session_id }: ConversationPage,
): Html {
  const base = path('operations', status.operation_id);
  const gate = status.next_batch;
  const noun = nouns.get(status.domain) ?? { one: 'item', many: 'items' };
  const signing = signings.get(status.operation_id);
  const place = { base, session: session_id, whole: true, approver, showing, noun, signing };
  const door = doorOf(principal, place);
  return html`${lastDecision(status)} ${gate ? nextText(status) : sentence(status)}
    ${gate ? questionView(status, selectionOf(gate), door) : standing(status)}
    ${status.total > 0 ? bar(status) : nothing}
    <p class="links"><a href="${base}">Cancel, or see the whole operation</a></p>`;
}

const lastOperation = (status: BulkStatus): Html =>
  html`<p class="hint">
    <a href="${path('operations', status.operation_id)}">${prose(titleOf(status))}</a>:
    ${prose(forPeople(status.message, namesIn(status)), namesIn(status))}
  </p>`;

/** The question that a message answers. These fields change with the question; the typed text stays. */
function seenFields({ open, showing, macros, assistant }: ConversationPage): Html {
  const gate = open.find(({ next_batch }) => next_batch !== undefined)?.next_batch;
  const field = (name: string, value: string | number) =>
    html`<input type="hidden" form="say" name="${name}" value="${value}" class="part-${name}" />`;
  const shownField = (digest: string) =>
    html`${field('digest', digest)} ${field('shown_at', showing.stampOf(digest))}`;
  const proposed = macros.length > 0 ? assistant?.turns.findLast(({ asked }) => asked)?.asked : undefined;
  if (!gate) return proposed ? shownField(proposed.digest) : nothing;
  return html`${field('batch', gate.number)} ${field('attempt', gate.attempt)} ${shownField(gate.digest)}`;
}

const replyView = (reply: string): Html =>
  html`<section class="notice" role="status"><pre>${prose(visibleText(reply))}</pre></section>`;

function messageForm({ principal, hasModel, answered }: ConversationPage, own: string): Html {
  if (!hasModel) {
    return troubleView(noModel().body);
  }
  if (!mayInstruct(principal) || !may(principal.role, 'POST /sessions/{session_id}/messages'))
    return html`<p class="hint">Your role may look, and may not talk to the assistant.</p>`;
  return html`<form id="say" class="answer" method="post" action="${own}/messages" autocomplete="off">
    ${formToken(principal)}<input type="hidden" name="message_id" value="${randomUUID()}" />
    <input type="hidden" name="zone" value="" data-zone />
    <div class="field">
      <label for="text">Your message</label>
      <textarea id="text" name="text" rows="2" required>
${answered?.error ? typedIn(answered, 'messages', 'text') : ''}</textarea>
    </div>
    <button class="primary">Send the message</button>
  </form>`;
}

function dismissal({ session_id, assistant, principal, showing }: ConversationPage, own: string): Html {
  if (!assistant) return nothing;
  const { input, output } = assistant.tokens;
  const mayEnd = !isOver(assistant.state) && may(principal.role, 'POST /sessions/{session_id}/dismiss');
  return html`${
      mayEnd
        ? html`<div class="others">
            <details>
              <summary>Dismiss…</summary>
              <form class="card" method="post" action="${own}/dismiss">
                ${decides(showing, 'dismiss')} ${formToken(principal)}
                <p class="hint">The assistant ends and its slot is free. Operations go on.</p>
                <button class="danger" data-busy="Dismissing…">Dismiss the assistant</button>
              </form>
            </details>
          </div>`
        : nothing
    }
    <footer class="facts-list">
      <dl>
        ${fact('Session', session_id)} ${fact('Profile', assistant.profile)}
        ${fact('Tokens', `${input} read, ${output} written`)}
      </dl>
    </footer>`;
}
