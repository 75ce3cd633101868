import fc from '../helpers/properties';
import type { ContinueRequest, ReviseRequest } from '../../src/contract/messages';
import { openGate } from '../../src/core/bulk/operation';
import {
  expectedApproval,
  expectedRevision,
  expectedVerdict,
  leftOut,
  named,
  type Naming,
} from './lifecycle.verdicts';
import { edit, planEnds } from './lifecycle.edits';
import { closed, mayComplete, pendingIn, same, tally, type Letter, type Model } from './lifecycle.model';
import { asked, decided, end, IDS, nextQuestion, step } from './lifecycle.steps';

const decision = fc
  .record({
    naming: fc.constantFrom<Naming[]>(
      ...(['bare', 'right', 'right', 'right', 'batch only', 'digest only'] as const),
      ...(['next', 'previous', 'other attempt', 'other digest'] as const),
    ),
    // Few ids, so that ids are often repeated.
    id: fc.option(fc.constantFrom(...IDS)),
    exclude: fc.array(fc.nat({ max: 6 }), { maxLength: 3 }),
    foreign: fc.integer({ min: 0, max: 9 }).map((at) => at === 0),
    by: fc.constantFrom(undefined, 'ana', 'ben', 'cy'),
    late: fc.constantFrom(...Array<number>(12).fill(0), 500, 1_500, 5_000, 4_000_000),
    via: fc.constantFrom('update' as const, 'signal' as const),
  })
  .map(({ naming, id, exclude, foreign, by, ...arriving }) =>
    step(
      `continue ${naming} ${id ?? ''} by ${by} ${JSON.stringify(arriving)} without ${exclude.join()}${foreign ? ' and a stray' : ''}`,
      (model, driver) => {
        const digest = openGate(driver.state)?.digest;
        const pending = pendingIn(model);
        const left = [...new Set(exclude)].flatMap((at) => pending[at] ?? []);
        const request: ContinueRequest = {
          ...named(naming, model, digest),
          ...(id !== null && { decision_id: id }),
          by,
          exclude: [...left.map((at) => ({ id: `m${at + 1}` })), ...(foreign ? [{ id: 'stray' }] : [])],
        };
        const verdictOnGate = expectedVerdict(model, naming, request, foreign, arriving);
        const expected =
          verdictOnGate === 'accepted' ? expectedApproval(model, request, pending.length) : verdictOnGate;
        const verdict = driver.continue(request, arriving.late, arriving.via);
        const code =
          verdict.kind === 'refused'
            ? verdict.error.code
            : verdict.kind === 'recorded'
              ? verdict.as
              : verdict.kind;
        same('the verdict', code, expected);
        if (verdict.kind === 'duplicate' && id !== null && !model.superseded.has(id))
          same('the first decision', verdict.first.decision_id, id);
        if (verdict.kind === 'refused' && id !== null) model.refused.set(id, code);
        if (verdict.kind !== 'accepted' && verdict.kind !== 'recorded') return;
        const { batch, attempt } = model;
        const made = { batch, attempt, digest, by, left: leftOut(request.exclude), id: id ?? undefined };
        if (!decided(model, made, { left, code })) return;
        model.extensions = [];
        model.state = 'running_batch';
        model.deadline = undefined;
      },
    ),
  );

const revise = fc
  .record({
    naming: fc.constantFrom<Naming[]>('bare', 'right', 'right', 'batch only', 'previous', 'other digest'),
    id: fc.option(fc.constantFrom(...IDS)),
    by: fc.constantFrom(undefined, 'ana', 'ben'),
    late: fc.constantFrom(0, 0, 1_500),
    via: fc.constantFrom('update' as const, 'signal' as const),
  })
  .map(({ naming, id, by, ...arriving }) =>
    step(`send back ${naming} ${id ?? ''} by ${by} ${JSON.stringify(arriving)}`, (model, driver) => {
      const digest = openGate(driver.state)?.digest;
      const request: ReviseRequest = {
        ...named(naming, model, digest),
        ...(id !== null && { decision_id: id }),
        ...{ by, note: 'Archive them instead.' },
      };
      const expected = expectedRevision(model, naming, request, arriving);
      const verdict = driver.revise(request, arriving.late, arriving.via);
      const code = verdict.kind === 'refused' ? verdict.error.code : verdict.kind;
      same('the verdict on guidance', code, expected);
      if (code === 'accepted') {
        const { batch, attempt } = model;
        model.sentBack = { ...request, gate: { batch, attempt, digest } };
        end(model, 'cancelled');
      } else if (verdict.kind === 'refused' && id !== null && !model.refused.has(id))
        model.refused.set(id, code);
    }),
  );

const batchEnds = fc
  .oneof(
    {
      weight: 2,
      arbitrary: fc.array(fc.constantFrom<Letter[]>('s', 's', 's', 'f', 'd', 'k'), { maxLength: 6 }),
    },
    { weight: 2, arbitrary: fc.array(fc.constantFrom<Letter[]>('s', 'f', 'd', 'p', 'p'), { maxLength: 6 }) },
  )
  .map((letters) =>
    step(
      `batch ends ${letters.join('')}`,
      (model, driver) => {
        const pending = pendingIn(model);
        const codes = pending.map((_, at) => letters[at] ?? 's');
        const { ending } = model;
        driver.batchEnds(codes.join(''), ending && { to: ending, forced: ending === 'completed' });
        pending.forEach((index, at) => (model.outcomes[index] = codes[at] ?? 's'));
        model.left = [];
        model.batchesOver++;
        same('batches and decisions', model.accepted, model.batchesOver);
        if (pendingIn(model).length > 0) {
          model.attempt++;
          asked(model, 'batch_failed');
        } else nextQuestion(model);
        if (ending && !closed(model)) {
          end(model, ending);
          model.forced = ending === 'completed';
        }
        model.ending = undefined;
      },
      (model) => model.state === 'running_batch',
    ),
  );

/** A worker refuses the batch that was confirmed, or is stopped before it claims it. */
const batchRefused = fc.constant(
  step(
    'batch refused',
    (model, driver) => {
      const { ending, excluded } = model;
      driver.batchEnds(undefined, ending && { to: ending, forced: ending === 'completed' });
      for (const index of excluded) model.outcomes[index] = 'p';
      model.left = model.left.filter((index) => !excluded.includes(index));
      model.batchesOver++;
      model.attempt++;
      asked(model, 'batch_failed');
      if (ending) {
        end(model, ending);
        model.forced = ending === 'completed';
      }
      model.ending = undefined;
    },
    (model) => model.state === 'running_batch',
  ),
);

/** The same workflow task brings the confirmation and a cancel, so the batch is never sent. */
const cancelledUnsent = fc.constant(
  step(
    'cancelled before it is sent',
    (model, driver) => {
      driver.end('cancelled');
      end(model, 'cancelled');
    },
    (model) => model.state === 'running_batch' && model.ending === undefined,
  ),
);

const live = (model: Model) => !closed(model) && model.ending === undefined;

const cancel = fc.constant(
  step(
    'cancel',
    (model, driver) => {
      if (model.state === 'running_batch' || model.editing) model.ending = 'cancelled';
      else {
        driver.end('cancelled');
        end(model, 'cancelled');
      }
    },
    live,
  ),
);

const complete = fc.boolean().map((force) =>
  step(
    force ? 'force' : 'complete',
    (model, driver) => {
      same('the guard', driver.mayComplete(), mayComplete(model));
      if (!mayComplete(model) && !force) return;
      if (model.state === 'running_batch') model.ending = 'completed';
      else {
        model.forced = !mayComplete(model);
        driver.end('completed', model.forced);
        end(model, 'completed');
      }
    },
    (model) => live(model) && !model.editing,
  ),
);

const extend = fc
  .tuple(fc.constantFrom(1, 600, 7_200), fc.constantFrom(undefined, 'ana'))
  .map(([seconds, by]) =>
    step(
      `extend ${seconds} by ${by}`,
      (model, driver) => {
        driver.extend(seconds, by);
        const { deadline = 0, extensions } = model;
        const again = extensions.some((one) => one.seconds === seconds && one.by === by);
        if (again && deadline - model.now >= seconds * 1_000) return;
        model.deadline = deadline + seconds * 1_000;
        extensions.push({ seconds, by });
      },
      (model) => model.deadline !== undefined,
    ),
  );

const resolve = fc.tuple(fc.nat({ max: 20 }), fc.boolean()).map(([at, good]) =>
  step(
    `resolve ${at} ${good ? 'succeeded' : 'failed'}`,
    (model, driver) => {
      const doubtful = model.outcomes.flatMap((letter, index) => (letter === 'd' ? [index] : []));
      const index = doubtful[at % doubtful.length] ?? 0;
      driver.resolve(index, good ? 'succeeded' : 'failed');
      model.outcomes[index] = good ? 's' : 'f';
      if (model.deadline !== undefined) {
        const settled = model.state === 'awaiting_resolution' && tally(model, 'd') === 0;
        if (settled && mayComplete(model)) end(model, 'completed');
        else if (model.now + model.idle > model.deadline) {
          model.deadline = model.now + model.idle;
          model.extensions = [];
        }
        if (settled && !closed(model)) model.state = 'awaiting_confirmation';
      }
      return index;
    },
    (model) => !closed(model) && model.outcomes.includes('d'),
  ),
);

const timePasses = fc.integer({ min: 0, max: 1_800 }).map((seconds) =>
  step(`${seconds} s pass`, (model, driver) => {
    model.now += seconds * 1_000;
    driver.now = model.now;
  }),
);

/** The timer may fire late. Until then, a question past its deadline stays open but accepts nothing. */
const timerFires = fc.constant(
  step('timer fires', (model, driver) => {
    const due = model.deadline !== undefined && model.now >= model.deadline;
    same('the deadline is over', driver.due(), due);
    if (!due) return;
    driver.end('expired');
    end(model, 'expired');
  }),
);

const crash = fc.constant(step('crash', (_, driver) => driver.verifyWire()));

const rare = fc.oneof(
  cancel,
  cancelledUnsent,
  revise,
  complete,
  extend,
  timePasses,
  timePasses,
  timerFires,
  timerFires,
);

/** Everything that can happen to an operation, in any order. Repeats in the list are weights. */
export const anything = fc.commands(
  [
    ...[decision, decision, decision, decision, decision],
    ...[batchEnds, batchEnds, batchEnds, batchEnds],
    ...[edit, planEnds],
    ...[rare, rare],
    batchRefused,
    resolve,
    crash,
  ],
  { maxCommands: 60, size: '+1' },
);
