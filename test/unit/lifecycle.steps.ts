import type fc from '../helpers/properties';
import { statusOf } from '../../src/core/bulk/view';
import {
  gateOpen,
  isPastTheLast,
  mayComplete,
  same,
  tally,
  toNext,
  type Driver,
  type Model,
} from './lifecycle.model';

type Step = fc.Command<Model, Driver>;

/** A step that the model and the core both take, after which everything is verified. */
export function step(
  name: string,
  run: (model: Model, driver: Driver) => number | void,
  check: (model: Model) => boolean = () => true,
): Step {
  return {
    check: (model) => check(model),
    run: (model, driver) => {
      const resolvedIndex = run(model, driver);
      driver.verify(model, resolvedIndex ?? undefined);
      verifyApprovals(model, driver);
    },
    toString: () => name,
  };
}

/** The approvals that the question has, and each batch ran under as many people as it needs. */
function verifyApprovals(model: Model, { state }: Driver): void {
  if (model.needed === undefined) return;
  const names = (given: readonly { by?: string | undefined }[] = []) => given.map(({ by }) => by);
  if (gateOpen(model)) same('the approvals', names(statusOf(state).approvals?.given), names(model.given));
  for (const { approvals, by } of Object.values(state.accepted))
    same('different approvers', new Set([by, ...names(approvals)]).size, model.needed);
}

/** Includes names that a careless lookup finds in every object. */
export const IDS = [
  ...Array.from({ length: 40 }, (_, at) => `d${at}`),
  ...['constructor', '__proto__', 'toString', '7'],
];

export function asked(
  model: Model,
  state: 'awaiting_confirmation' | 'batch_failed' | 'awaiting_resolution',
): void {
  model.state = state;
  model.openedAt = model.now;
  model.extensions = [];
  for (const { id } of model.given) if (id !== undefined) model.superseded.add(id);
  model.given = [];
  model.deadline = model.now + model.idle;
}

/**
 * What a decision that is not refused leaves behind: an approval, a question without some items, or a batch that runs.
 * Returns whether it runs.
 */
export function decided(
  model: Model,
  made: Model['closedBy'][number],
  { left, code }: { left: number[]; code: string },
): boolean {
  for (const index of left) model.outcomes[index] = 'k';
  if (made.id !== undefined) model.decided.add(made.id);
  if (code === 'counts') {
    model.given.push(made);
    return false;
  }
  model.left.push(...left);
  if (code === 'leaves_out') {
    if (made.id !== undefined) model.superseded.add(made.id);
    model.attempt++;
    asked(model, model.state as 'awaiting_confirmation' | 'batch_failed');
    return false;
  }
  model.closedBy.push(...[...model.given, made].filter((one) => one.id === undefined));
  model.accepted++;
  model.excluded = left;
  return true;
}

export function end(model: Model, state: 'completed' | 'cancelled' | 'expired'): void {
  // What was left out of a batch that never ran is not run.
  for (const index of model.left) model.outcomes[index] = 'p';
  model.left = [];
  model.state = state;
  model.deadline = undefined;
}

/** Nothing of the batch is left: the question about the next one follows, or the end. */
export function nextQuestion(model: Model): void {
  toNext(model);
  model.attempt = 1;
  model.left = [];
  const last = isPastTheLast(model);
  if (last && mayComplete(model)) end(model, 'completed');
  else asked(model, last && tally(model, 'd') > 0 ? 'awaiting_resolution' : 'awaiting_confirmation');
}
