import { CancellationScope, currentUpdateInfo, setHandler } from '@temporalio/workflow';
import type { ErrorBody } from '../../src/contract/errors';
import type { Edit, LedgerEdit, Replanned } from '../../src/contract/edits';
import { editRequestSchema, type EditRequest } from '../../src/contract/messages';
import type { BulkTurn } from '../../src/contract/operation';
import { refused } from '../../src/core/bulk/decisions';
import {
  askedBy,
  editAbandoned,
  editAdopted,
  editBegun,
  judgeEdit,
  editionOf,
} from '../../src/core/bulk/edits';
import { closedError } from '../../src/core/bulk/gate';
import type { AcceptedEdit } from '../../src/core/bulk/operation';
import { isClosed } from '../../src/core/bulk/transitions';
import { iso, turnOf } from '../../src/core/bulk/view';
import { attestSender, read, record } from '../shared/decision-record';
import { fromActivityFailure, toFailure } from '../shared/failures';
import { editUpdate } from '../shared/messages';
import { publishProgress, touchSentinel } from '../shared/visibility';
import { reading } from './plan';
import { requestClose, type AskedEdit, type RunningOperation } from './running-operation';
import { activities, LEDGER_RETRIES, type Unread } from './steps';

/**
 * Handles a person's edit of the change. It runs nothing. The rest is planned again, with a new question and digest.
 */
export function registerEdit(operation: RunningOperation): void {
  setHandler(editUpdate, (request) => edit(operation, request), {
    validator: (request) => {
      const parsed = read(editRequestSchema, request);
      const { state } = operation;
      const verdict = judgeEdit(state, parsed, Date.now(), currentUpdateInfo()?.id);
      // A refusal by the handler is recorded. If the operation has ended, its record is already written.
      if (verdict.kind === 'refused' && isClosed(state.state)) throw toFailure(verdict.error);
    },
    description:
      'Edit the change for the items that are left: {"change": {"label_name": "Archive"}}. Optional: {"digest": "…", "by": "…"}',
  });
}

async function edit(operation: RunningOperation, request: EditRequest): Promise<BulkTurn> {
  const update_id = currentUpdateInfo()?.id;
  if (operation.isReset) await operation.untilKnown();
  const verdict = judgeEdit(operation.state, request, Date.now(), update_id);
  if (verdict.kind === 'duplicate') return repeated(operation, request.decision_id ?? update_id);
  const error =
    verdict.kind === 'refused'
      ? verdict.error
      : operation.closing && closedError(operation.state, operation.closing.to);
  if (error) throw refusal(operation, request, update_id, error);
  const { digest = '', batch, attempt, change } = operation.state;
  const sender = attestSender(operation, 'edit', request);
  const pending: AskedEdit = {
    request,
    update_id,
    sender,
    edit: {
      ...{ batch, attempt, digest, parameters: Object.keys(request.change).slice(0, 20), via: 'update' },
      ...(request.by !== undefined && { by: request.by }),
      ...(request.note !== undefined && { note: request.note }),
      ...{ assurance: sender.assurance, at: iso(Date.now()) },
      before: askedBy(change ?? { summary: '', fields: [], reversible: 'no' }),
    },
  };
  operation.state = editBegun(operation.state, request.decision_id ?? update_id, Date.now());
  operation.edit = pending;
  operation.changed();
  touchSentinel(request.by);
  await operation.until(() => pending.over !== undefined);
  if (pending.over?.error) throw toFailure(pending.over.error);
  return turnOf(operation.state);
}

/** Returns the answer of the first decision to a repeated one. */
async function repeated(operation: RunningOperation, id: string | undefined): Promise<BulkTurn> {
  await operation.untilOrBusy(() => operation.state.editing?.decision_id !== id);
  const error = operation.state.refused.find((refusal) => refusal.id === id)?.error;
  if (error) throw toFailure(error);
  return turnOf(operation.state);
}

/** Records that an edit was refused, so that the same decision is refused again. */
function refusal(
  operation: RunningOperation,
  request: EditRequest,
  update_id: string | undefined,
  error: ErrorBody,
) {
  record(operation, 'edit', error.code, request, { via: 'update' });
  operation.state = refused(operation.state, request.decision_id ?? update_id, error);
  return toFailure(error);
}

/**
 * Plans the rest again for the edit that closed the question, and asks again. If that fails, the question opens again
 * unchanged. `settle`: settles the requests of the last attempt first, which may still be executed.
 */
export async function answerEdit(
  operation: RunningOperation,
  settle: () => Promise<readonly number[] | Unread>,
): Promise<void> {
  const { edit: pending } = operation;
  if (!pending) return;
  const settled = await settle();
  const error = 'unread' in settled ? settled.unread : await planned(operation, pending);
  if (error) {
    const was = editAbandoned(operation.state, Date.now(), 'length' in settled && settled.length > 0);
    operation.state = was;
    refusal(operation, { ...pending.request, ...placeOf(pending) }, pending.update_id, error);
  }
  delete operation.edit;
  pending.over = error ? { error } : {};
  if (!isClosed(operation.state.state)) publishProgress(operation);
  operation.changed();
}

const placeOf = ({ edit: { batch, attempt, digest } }: AskedEdit) => ({ batch, attempt, digest });

/** Returns the reason why the rest could not be planned again; undefined if its new question is open. */
async function planned(operation: RunningOperation, pending: AskedEdit): Promise<ErrorBody | undefined> {
  if (stopped(operation)) return why(operation);
  operation.step = new CancellationScope();
  let plan: Replanned;
  try {
    plan = await operation.step.run(() => replanned(operation, pending));
  } catch (error) {
    return why(operation) ?? fromActivityFailure(error);
  }
  if (stopped(operation)) return why(operation);
  const edit: Edit = { ...pending.edit, after: askedBy(plan.prepared.change) };
  const { subject } = pending.sender.approver;
  try {
    const adopted = await adopt(operation, plan, {
      ...edit,
      // The subject of a person for whom no door vouches is the name.
      ...(subject !== (edit.by ?? '') && { subject }),
    });
    if (operation.isReset) return why(operation);
    if (adopted) return adopted.refused;
  } catch (error) {
    const failure = fromActivityFailure(error);
    if (!operation.isReset) requestClose(operation, { to: 'cancelled', error: failure });
    return failure;
  }
  const id = pending.request.decision_id ?? pending.update_id;
  const accepted: AcceptedEdit = { ...edit, subject, ...(id !== undefined && { decision_id: id }) };
  const decision = { ...pending.request, ...placeOf(pending), at: edit.at };
  record(operation, 'edit', 'accepted', decision, { via: 'update', ...pending.sender });
  operation.state = editAdopted(operation.state, plan, accepted, Date.now());
  return undefined;
}

const stopped = ({ closing, isReset }: RunningOperation): boolean => closing !== undefined || isReset;

function why(operation: RunningOperation): ErrorBody | undefined {
  if (operation.closing) return closedError(operation.state, operation.closing.to);
  return operation.isReset ? WAS_RESET : undefined;
}

const WAS_RESET: ErrorBody = {
  code: 'NOT_AWAITING_CONFIRMATION',
  message: 'The operation was reset in Temporal while the change was edited.',
  hint: 'Read its status, and decide about the question that it asks now.',
};

function replanned({ state }: RunningOperation, { request }: AskedEdit): Promise<Replanned> {
  return reading('Plan the rest anew', state.settings, '1 day').replan({
    ...place(state),
    edition: editionOf(state),
    codes: state.codes,
    change: request.change,
  });
}

/** Adopts the plan without a possible cancellation, because the workflow must receive an adopted plan. */
function adopt({ state }: RunningOperation, { token }: Replanned, edit: LedgerEdit) {
  return activities({
    startToCloseTimeout: '10s',
    retry: LEDGER_RETRIES,
    summary: 'Ask for the edited change',
  }).adoptPlan({
    ...place(state),
    ...{ edition: editionOf(state) + 1, token, attempt: state.attempt + 1, edit },
  });
}

const place = ({ operation_id, first_run_id: run_id, store_id }: RunningOperation['state']) => ({
  operation_id,
  run_id,
  store_id,
});
