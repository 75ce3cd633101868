import type { FastifyReply, FastifyRequest } from 'fastify';
import { editBulkOperation, getBulkStatus, getChangeParams } from '../../client';
import { BatchgateError } from '../../contract/errors';
import type { BulkStatus } from '../../contract/operation';
import { valuesOf, type FormField } from '../../core/approval/schema-form';
import { canonicalJson } from '../../core/shared/canonical';
import { oneLine } from '../../core/shared/plain-text';
import { remembered } from '../../core/shared/promises';
import { principalOf, type Api, type ApiContext } from '../context';
import { decidedBy } from '../read-since';
import { problemOf } from '../problems';
import { operationParams } from '../routes/operations';
import { answer, answered, refuse, type Answered } from './answered';
import { notice } from './error-page';
import { fieldView, mistakeSummary, zoneOf, type ShownField } from './fields';
import { filledWith } from './filled';
import { fieldsOf, required, text, whole, type Fields } from './forms';
import { formToken, html, layout, moment, named, nothing, path, prose, type Html } from './html';
import { placeError } from './mistakes';
import { sendPage } from './send';
import { decideOnce, decides, showingOf } from './showing';
import { startAction } from './start-form';

const schema = { hide: true, params: operationParams };

/** The form that edits the change of an open question. It is a page of its own, so it needs no script. */
export function addEditPages(pages: Api, context: ApiContext): void {
  const describeAdapters = remembered(context.describeAdapters);
  const formOf = async (operationId: string): Promise<EditForm> => {
    const status = await getBulkStatus(context.client, operationId);
    const params = await getChangeParams(context.client, operationId);
    return { status, params, ...editableFields(await describeAdapters(), status, params, context) };
  };
  pages.get('/operations/:operation_id/edit', { schema }, async (request, reply) => {
    const form = await formOf(request.params.operation_id);
    const refused = await answered(context, request, reply, principalOf(request).id);
    return show(context, request, reply, form, refused);
  });
  pages.post('/operations/:operation_id/edit', { schema }, async (request, reply) => {
    const { operation_id } = request.params;
    const fields = new URLSearchParams(fieldsOf(request));
    const form = await formOf(operation_id);
    const { values, mistakes } = valuesIn(form.fields, fields);
    const reader = principalOf(request).id;
    const place = { own: path('operations', operation_id, 'edit'), reader };
    if (mistakes.length > 0) return answer(context, request, reply, { ...place, status: 400, mistakes });
    try {
      await decideOnce(context, { reader, verb: 'edit', fields: decisionOf(fields, values) }, async () => {
        await send(context, request, operation_id, { form, fields, values });
      });
    } catch (error) {
      const { status, problem } = problemOf(error);
      const valueIn = (name: string) => text(fields, name);
      const serverMistakes = status === 400 ? placeError(problem.body, valueIn, form.fields) : [];
      return refuse(context, request, reply, { ...place, mistakes: serverMistakes }, error);
    }
    return reply.redirect(path('operations', operation_id), 303);
  });
}

type Values = Record<string, unknown>;

interface EditForm {
  status: BulkStatus;
  /** The values with which the remaining items are planned. */
  params: Values;
  fields: ShownField[];
  /** The parameters that cannot be edited. */
  kept: ShownField[];
}

const topOf = ({ name }: FormField): string => name.split('.')[0] ?? name;

function editableFields(
  adapters: Parameters<typeof startAction>[0],
  { domain, action, editable: isEditable }: BulkStatus,
  params: Values,
  context: ApiContext,
): Pick<EditForm, 'fields' | 'kept'> {
  const start = startAction(adapters, { domain, action }, context);
  const { editable = [] } = start.action;
  const fixed = context.limits?.fixed?.[domain] ?? [];
  const mayEdit = (field: ShownField) =>
    isEditable !== false && editable.includes(topOf(field)) && !fixed.includes(topOf(field));
  const { parameters, searching } = start;
  return {
    fields: parameters.filter(mayEdit),
    kept: parameters.filter(
      (field) => !mayEdit(field) && !searching.has(field.name) && topOf(field) in params,
    ),
  };
}

/** The same form with other values is another decision: the first one may have been refused. */
function decisionOf(fields: Fields, values: Values): Fields {
  const id = text(fields, 'decision_id');
  return new URLSearchParams(id === undefined ? {} : { decision_id: `${id} ${canonicalJson(values)}` });
}

async function send(
  context: ApiContext,
  request: FastifyRequest,
  operationId: string,
  { form, fields, values }: { form: EditForm; fields: Fields; values: Values },
): Promise<void> {
  const { by, options } = decidedBy(context, request, undefined);
  const before = valuesIn(form.fields, filledWith(form.fields, form.params)).values;
  const names = [...new Set(form.fields.map(topOf))].filter(
    (name) => canonicalJson(values[name]) !== canonicalJson(before[name]),
  );
  if (names.length === 0)
    throw new BatchgateError(
      'INVALID_INPUT',
      'The question asks exactly that already.',
      'Change a value, or go back to the question. Nothing was changed.',
    );
  const edit = {
    change: Object.fromEntries(names.map((name) => [name, values[name] ?? null])),
    ...{ batch: whole(fields, 'batch'), attempt: whole(fields, 'attempt') },
    ...{ digest: required(fields, 'digest', 'The digest'), by, note: text(fields, 'note') },
  };
  await editBulkOperation(context.client, operationId, edit, options);
}

const valuesIn = (fields: readonly ShownField[], form: Fields) =>
  valuesOf(fields, (name) => text(form, name), zoneOf(form));

function show(
  context: ApiContext,
  request: FastifyRequest,
  reply: FastifyReply,
  { status, params, fields, kept }: EditForm,
  refused: Answered | undefined,
): Promise<never> {
  const principal = principalOf(request);
  const filled = refused ?? { fields: filledWith(fields, params), mistakes: [] };
  const own = path('operations', status.operation_id);
  const gate = status.next_batch;
  const values = filled.fields;
  // A refused form keeps its own question.
  const digest = values.get('digest') ?? gate?.digest ?? '';
  const hidden = (name: string, value: string | number | undefined) =>
    value === undefined ? nothing : html`<input type="hidden" name="${name}" value="${value}" />`;
  const labels = new Map(fields.map(({ name, label }) => [name, label]));
  const isOver = gate === undefined || gate.digest !== digest;
  const body = html`<p class="overline"><a href="${own}">Back to the question</a></p>
    <h1>Change what is done</h1>
    <p class="lead">${prose(oneLine(gate?.change.summary ?? status.summary ?? ''))}</p>
    ${filled.mistakes.length > 0 ? mistakeSummary('Nothing was changed', labels, filled) : nothing}
    ${refused?.error && filled.mistakes.length === 0 ? notice(refused.error, 'Nothing was changed') : nothing}
    ${isOver ? html`<p class="hint">That question is not open any more.</p>` : nothing}
    ${fields.length === 0 ? html`<p>Nothing of this change can be edited.</p>` : nothing}
    <form class="card start" method="post" action="${own}/edit" autocomplete="off" novalidate>
      ${decides(showingOf(context, principal.id), 'edit', digest)} ${formToken(principal)}
      ${hidden('batch', values.get('batch') ?? gate?.number)}
      ${hidden('attempt', values.get('attempt') ?? gate?.attempt)} ${hidden('digest', digest)}
      ${fields.map((field) => fieldView(field, filled))} ${keptView(kept, params)}
      <div class="field">
        <label for="edit-note">Why? <span class="hint">(optional)</span></label>
        <input id="edit-note" name="note" maxlength="500" value="${values.get('note') ?? ''}" />
      </div>
      <p class="hint">
        Nothing is done by this. All that is left is planned anew, and you are asked again. What was done
        stays done.
      </p>
      <div class="actions">
        ${fields.length === 0 ? nothing : html`<button class="primary" data-busy="Planning…">Ask for this instead</button>`}
      </div>
    </form>`;
  return sendPage(reply, layout({ title: 'Change what is done', principal, body }));
}

/** The parameters that cannot be changed here, with their values. */
function keptView(fields: readonly ShownField[], params: Values): Html {
  if (fields.length === 0) return nothing;
  return html`<dl class="fields">
    ${fields.map(
      (field) =>
        html`<div>
          <dt>${field.label}</dt>
          <dd>
            ${named(filledWith([field], params).get(field.name) ?? '', 300)}
            <span class="hint">This cannot be changed here.</span>
          </dd>
        </div>`,
    )}
  </dl>`;
}

/** The link to the form, beside the other answers. The holder of a link to one question cannot edit it. */
export const editLink = (base: string, { undoes, editable }: BulkStatus): Html =>
  undoes === undefined && editable !== false && base.startsWith('/operations/')
    ? html`<p class="links"><a href="${base}/edit">Change it…</a></p>`
    : nothing;

/** The edits, each with the question before and after it. */
export function editsView({ edits = [] }: BulkStatus): Html {
  if (edits.length === 0) return nothing;
  return html`<h3>Edits</h3>
    <ol class="edits">
      ${edits.map(
        ({ before, after, by, at }) =>
          html`<li>
            ${named(by ?? 'Somebody who gave no name', 80)} at ${moment(at)}:
            <del>${prose(oneLine(before.summary))}</del> → <ins>${prose(oneLine(after.summary))}</ins>
          </li>`,
      )}
    </ol>`;
}
