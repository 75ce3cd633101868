import { isDeepStrictEqual } from 'node:util';
import { bulkStatusSchema, type BulkState, type BulkStatus } from '../../src/contract/operation';
import { bulkGuard } from '../../src/core/bulk/contract-progress';
import { judgeContinue, type Arrival, type Verdict } from '../../src/core/bulk/gate';
import {
  batchOver,
  closeAs,
  confirmed,
  resolved,
  settledLate,
  withOutcome,
} from '../../src/core/bulk/lifecycle';
import { editAbandoned, editBegun, judgeEdit, type EditVerdict } from '../../src/core/bulk/edits';
import { judgeApproval } from '../../src/core/bulk/approvals';
import { assertedBy } from '../../src/core/bulk/approvers';
import { approved, askedWithout, withApprovers } from '../../src/core/bulk/approving';
import { extended } from '../../src/core/bulk/deadlines';
import { recorded, refused } from '../../src/core/bulk/decisions';
import { gateDigest, gateKey, openGate, pendingOf, type OperationState } from '../../src/core/bulk/operation';
import { isClosed, needsConfirmation } from '../../src/core/bulk/transitions';
import { iso, statusOf } from '../../src/core/bulk/view';
import { judgeRevision, returned, type Judgement } from '../../src/core/bulk/sent-back';
import { adopted } from './lifecycle.fixtures';
import type { Recorded } from './lifecycle.verdicts';
import type { ContinueRequest, EditRequest, ReviseRequest } from '../../src/contract/messages';

export type Letter = 'p' | 's' | 'f' | 'k' | 'd';
type Ending = 'cancelled' | 'completed';

/** The simplest model of an operation: one outcome per item, a gate and a clock. It uses no logic of the core. */
export interface Model {
  outcomes: Letter[];
  /** The sizes of the batches; the last one repeats. */
  sizes: number[];
  /** Past this share of failed items, the sizes begin again. */
  threshold: number;
  /** The place of the first item of the batch, and the place of its size in the sizes. */
  from: number;
  step: number;
  contract: {
    failed_policy?: string;
    skipped_policy?: string;
    min_completed?: number;
    expected_total?: number;
  };
  state: BulkState;
  batch: number;
  attempt: number;
  now: number;
  idle: number;
  deadline: number | undefined;
  /** When the open gate was opened. */
  openedAt: number;
  /** Ids of accepted decisions, error codes of refused ones by id, and the number of all accepted decisions. */
  decided: Set<string>;
  /** The gates that decisions without an id closed: the same decision by the same sender repeats them. */
  closedBy: {
    batch: number;
    attempt: number;
    digest: string | undefined;
    by: string | undefined;
    left: string;
    id?: string | undefined;
  }[];
  extensions: { seconds: number; by: string | undefined }[];
  refused: Map<string, string>;
  accepted: number;
  batchesOver: number;
  ending: Ending | undefined;
  forced: boolean;
  /** The question that an edit has closed, and the id of that edit. */
  editing?: Pick<Model, 'state' | 'deadline' | 'extensions'> & { id: string | undefined; begunAt: number };
  /** The ids of the edits whose plan was adopted. */
  edits: (string | undefined)[];
  /** How many approvals a batch needs; undefined without a policy. */
  needed: number | undefined;
  /** The approvals of the open question. */
  given: Model['closedBy'];
  /** The places that were left out of the batch since it ran last, and those that its running confirmation left out. */
  left: number[];
  excluded: number[];
  /** The ids of decisions whose question was asked anew before its batch ran: only that they came is known. */
  superseded: Set<string>;
  /** The decision that sent it back. */
  sentBack?: ReviseRequest & { gate: { batch: number; attempt: number; digest: string | undefined } };
}

export function pendingIn(model: Model): number[] {
  const { from } = model;
  return model.outcomes.flatMap((letter, index) =>
    letter === 'p' && index >= from && index < from + sizeOf(model) ? [index] : [],
  );
}

const sizeOf = ({ sizes, step }: Model): number => sizes[step] ?? sizes.at(-1) ?? 1;

const grows = ({ sizes }: Model): boolean => sizes.some((size) => size !== sizes[0]);

function pass(model: Model): void {
  model.from += sizeOf(model);
  model.batch++;
  model.step++;
}

export const isPastTheLast = (model: Model): boolean => model.from >= model.outcomes.length;

/** To the first batch from here on that has something to run, or one past the last. A first step is not skipped. */
export function toWork(model: Model): void {
  while (!isPastTheLast(model) && pendingIn(model).length === 0) {
    const isFirst = model.step === 0 && grows(model);
    while (!isPastTheLast(model) && pendingIn(model).length === 0) pass(model);
    if (isFirst) model.step = 0;
  }
}

/** To the batch after this one. The sizes begin again after too many failures, or if nothing ran in the first one. */
export function toNext(model: Model): void {
  const letters = model.outcomes.slice(model.from, model.from + sizeOf(model));
  const bad = letters.filter((letter) => letter === 'f' || letter === 'd').length;
  const ran = letters.filter((letter) => letter !== 'k').length;
  const again = ran === 0 ? model.step === 0 : bad / ran > model.threshold;
  pass(model);
  if (again && grows(model)) model.step = 0;
  toWork(model);
}

export function gateOpen(model: Model): boolean {
  return ['awaiting_confirmation', 'batch_failed'].includes(model.state) && pendingIn(model).length > 0;
}

export function closed(model: Model): boolean {
  return ['completed', 'cancelled', 'expired'].includes(model.state);
}

export function tally(model: Model, letter: Letter): number {
  return model.outcomes.filter((outcome) => outcome === letter).length;
}

/** The guard: all expected items have outcomes, enough succeeded, none is in doubt, and the policies allow it. */
export function mayComplete(model: Model): boolean {
  const { failed_policy, skipped_policy, min_completed = 0, expected_total = 0 } = model.contract;
  return (
    tally(model, 'p') === 0 &&
    tally(model, 'd') === 0 &&
    model.outcomes.length >= expected_total &&
    tally(model, 's') >= min_completed &&
    !(failed_policy === 'block' && tally(model, 'f') > 0) &&
    !(skipped_policy === 'block' && tally(model, 'k') > 0)
  );
}

/** Drives an operation the way the workflow does: it calls the core and keeps the state that the core returns. */
export class Driver {
  private readonly gateOf = new Map<string, string>();
  private readonly digestOf = new Map<string, string>();
  private updates = 0;
  private last: { status?: BulkStatus; codes: string } = { codes: '' };

  constructor(
    public state: OperationState,
    public now: number,
  ) {}

  /** `sent`: how many milliseconds ago. An update has an id of its own; a signal has none. */
  continue(request: ContinueRequest, sentAgo = 0, via: 'update' | 'signal' = 'update'): Verdict | Recorded {
    const update_id = via === 'update' ? `update-${this.updates++}` : undefined;
    const arrival: Arrival = { arrived: this.now - sentAgo, update_id };
    const judged = judgeContinue(this.state, request, this.now, arrival);
    if (judged.kind === 'duplicate') return judged;
    const approver = assertedBy(request.by);
    const sender = { via, assurance: 'asserted' as const, approver, update_id };
    const counted =
      judged.kind === 'accepted' ? judgeApproval(this.state, request, approver, this.now) : undefined;
    if (counted?.kind === 'counts' || counted?.kind === 'leaves_out') {
      this.state =
        counted.kind === 'counts'
          ? approved(this.state, request, { ...sender, ...counted }, this.now)
          : askedWithout(this.state, request, sender, this.now);
      return { kind: 'recorded', as: counted.kind };
    }
    const verdict: Verdict = counted?.kind === 'refused' ? counted : judged;
    const accepted = verdict.kind === 'accepted';
    this.state = recorded(this.state, {
      batch: request.batch ?? this.state.batch,
      attempt: request.attempt ?? this.state.attempt,
      decision: 'continue',
      outcome: accepted ? 'accepted' : verdict.error.code,
      via,
      assurance: 'asserted',
      at: iso(this.now),
    });
    this.state = accepted
      ? confirmed(this.state, request, { via, assurance: 'asserted', update_id }, this.now)
      : refused(this.state, request.decision_id ?? update_id, verdict.error);
    if (accepted) this.state = withApprovers(this.state, sender);
    return verdict;
  }

  revise(request: ReviseRequest, sentAgo = 0, via: 'update' | 'signal' = 'update'): Judgement {
    const update_id = via === 'update' ? `update-${this.updates++}` : undefined;
    const arrival: Arrival = { arrived: this.now - sentAgo, update_id };
    const verdict = judgeRevision(this.state, request, this.now, arrival);
    if (verdict.kind === 'repeated') return verdict;
    if (verdict.kind === 'refused') {
      this.state = refused(this.state, request.decision_id ?? update_id, verdict.error);
      return verdict;
    }
    this.state = returned(this.state, request, { assurance: 'asserted', update_id }, this.now);
    this.end('cancelled');
    return verdict;
  }

  /** An edit has an id of its own, unless it carries one. */
  edit(request: EditRequest): EditVerdict {
    const id = request.decision_id ?? `update-${this.updates++}`;
    const verdict = judgeEdit(this.state, request, this.now, id);
    if (verdict.kind === 'refused') this.state = refused(this.state, id, verdict.error);
    else if (verdict.kind === 'accepted') this.state = editBegun(this.state, id, this.now);
    return verdict;
  }

  /** The outcomes of requests that were still running when the batch died. */
  settles(late: readonly (readonly [index: number, outcome: Letter])[]): void {
    if (late.length === 0) return;
    const before = { ...this.state, unsettled: late.map(([index]) => index) };
    const codes = late.map(([, letter]) => letter).join('');
    this.state = settledLate(before, gateKey(before.batch, before.attempt), { codes });
  }

  /** `codes`: the outcomes with the new plan; undefined if it could not be made. */
  planEnds(codes: string | undefined, settled: boolean): void {
    if (codes !== undefined) {
      this.state = adopted(this.state, this.now, codes);
      return;
    }
    const id = this.state.editing?.decision_id;
    this.state = editAbandoned(this.state, this.now, settled);
    this.state = refused(this.state, id, { code: 'TOOL_FAILED', message: 'no plan', hint: 'again' });
  }

  /** `codes`: the outcomes; undefined if no worker began the batch. */
  batchEnds(codes: string | undefined, ending?: { to: Ending; forced: boolean }): void {
    const key = gateKey(this.state.batch, this.state.attempt);
    const indices = pendingOf(this.state, this.state.batch).map(({ index }) => index);
    const changed = [...(codes ?? '')].flatMap((code, at) =>
      code === 'k' ? [[at, { error: 'changed_since_preview: it is another one', retryable: true }]] : [],
    );
    const outcomes = { codes: codes ?? '', details: Object.fromEntries(changed) as Record<string, object> };
    const unbegun = codes === undefined && { unbegun: true as const };
    this.state = batchOver(this.state, { indices, outcomes, started_at: this.now, ...unbegun }, this.now);
    if (ending && !isClosed(this.state.state)) this.end(ending.to, ending.forced);
    this.state = withOutcome(this.state, key);
  }

  end(to: 'cancelled' | 'completed' | 'expired', forced = false): void {
    const word = { reason: 'enough', at: iso(this.now) };
    this.state = closeAs(this.state, to, this.now, forced ? word : undefined);
  }

  extend(seconds: number, by?: string): void {
    this.state = extended(this.state, { seconds, by }, this.now);
  }

  resolve(index: number, outcome: 'succeeded' | 'failed'): void {
    this.state = resolved(this.state, index, outcome, 'a person looked', this.now);
  }

  mayComplete(): boolean {
    return bulkGuard(this.state).allowed;
  }

  due(): boolean {
    const { deadline, state } = this.state;
    return deadline !== undefined && this.now >= deadline && needsConfirmation(state);
  }

  crash(): void {
    this.state = JSON.parse(JSON.stringify(this.state)) as OperationState;
  }

  /** Checks what must hold after every step. */
  verify(model: Model, resolvedIndex?: number): void {
    const status = statusOf(this.state);
    const { codes, accepted } = this.state;
    same('the outcomes', codes, model.outcomes.join(''));
    same('the status', facts(status), expectedFacts(model));
    same('the deadline', status.expires_at, model.deadline === undefined ? undefined : iso(model.deadline));
    const isForced = model.state === 'completed' && model.forced;
    same('the guard', status.guard.allowed, isForced || mayComplete(model));
    same('one batch a decision', Object.keys(accepted).length, model.accepted);
    for (const [key, { digest = '' }] of Object.entries(accepted))
      same('the question of a decision', this.gateOf.get(digest), key);
    const ids = Object.values(accepted).flatMap(({ decision_id }) => decision_id ?? []);
    same('a decision once', new Set(ids).size, ids.length);
    if (model.state === 'completed' && !model.forced) same('nothing left', tally(model, 'p'), 0);
    this.verifyGate(model);
    this.verifyStep(status, resolvedIndex);
  }

  /** Checks what must hold at any time, but takes too long to check after each step. */
  verifyWire(): void {
    const status = statusOf(this.state);
    bulkStatusSchema.parse(status);
    this.crash();
    same('the status after a crash', JSON.stringify(statusOf(this.state)), JSON.stringify(status));
  }

  /** A gate keeps its digest for as long as it is open, and no two gates have the same digest. */
  private verifyGate(model: Model): void {
    const gate = openGate(this.state);
    same('a gate is open', gate !== undefined, gateOpen(model));
    if (!gate) return;
    same('the gate', [gate.number, gate.attempt], [model.batch, model.attempt]);
    same(
      'what it would run',
      gate.items.map(({ index }) => index),
      pendingIn(model),
    );
    const key = gateKey(gate.number, gate.attempt);
    same('the gate of the digest', this.gateOf.get(gate.digest) ?? key, key);
    same('the digest of the gate', this.digestOf.get(key) ?? gate.digest, gate.digest);
    if (!this.gateOf.has(gate.digest)) same('what the digest binds', gate.digest, gateDigest(this.state));
    this.gateOf.set(gate.digest, key);
    this.digestOf.set(key, gate.digest);
  }

  /** A set outcome changes only when a person resolves an item in doubt. A closed operation only records decisions. */
  private verifyStep(status: BulkStatus, resolvedIndex: number | undefined): void {
    const { status: before, codes } = this.last;
    if (before && isClosed(before.state))
      same(
        'the end',
        JSON.stringify({ ...status, confirmations: [] }),
        JSON.stringify({ ...before, confirmations: [] }),
      );
    [...codes].forEach((code, index) => {
      if (code === this.state.codes[index] || code === 'p') return;
      // What was left out of a batch that did not begin is pending again.
      const isUnbegun = isClosed(this.state.state) || before?.state === 'running_batch';
      if (code === 'k' && this.state.codes[index] === 'p' && isUnbegun) return;
      same('a changed outcome', [code, index], ['d', resolvedIndex]);
    });
    this.last = { status, codes: this.state.codes };
  }
}

function facts(status: BulkStatus): unknown[] {
  const { state, total, succeeded, failed, skipped, in_doubt, processed, remaining, needs_confirmation } =
    status;
  return [state, total, succeeded, failed, skipped, in_doubt, processed, remaining, needs_confirmation];
}

function expectedFacts(model: Model): unknown[] {
  const [s, f, k, d, p] = (['s', 'f', 'k', 'd', 'p'] as const).map((letter) => tally(model, letter));
  const waits = ['awaiting_confirmation', 'batch_failed', 'awaiting_resolution'].includes(model.state);
  return [model.state, model.outcomes.length, s, f, k, d, (s ?? 0) + (f ?? 0), p, waits];
}

/** Compares faster than Jest's matchers, which would take minutes for a hundred thousand calls. */
export function same(what: string, found: unknown, expected: unknown): void {
  if (isDeepStrictEqual(found, expected)) return;
  throw new Error(`${what}: ${JSON.stringify(found)}, expected ${JSON.stringify(expected)}`);
}
