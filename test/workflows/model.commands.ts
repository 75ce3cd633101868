import { randomUUID } from 'node:crypto';
import fc from '../helpers/properties';
import type { ContinueRequest } from '../../src/contract/messages';
import type { CompletionGuardResult } from '../../src/contract/progress';
import { manyItems } from '../helpers/harness';
import { closed, gateOpen, pendingIn, tally, type Letter } from '../unit/lifecycle.model';
import { asked, decided, end, nextQuestion } from '../unit/lifecycle.steps';
import {
  expectedApproval,
  expectedEdit,
  expectedVerdict,
  leftOut,
  named,
  type Naming,
} from '../unit/lifecycle.verdicts';
import { ITEMS, type Fate, type LifeModel, type Reality } from './model.reality';

type Step = fc.AsyncCommand<LifeModel, Reality>;
const IDS = manyItems(ITEMS).map(({ id }) => id);

/** A step that the model and the operation both take, after which everything visible is compared. */
function step(
  name: string,
  run: (model: LifeModel, reality: Reality) => Promise<void>,
  check: (model: LifeModel) => boolean = (model) => !closed(model),
): Step {
  return {
    check: (model) => check(model),
    run: async (model, reality) => {
      await run(model, reality);
      await reality.verify(model);
    },
    toString: () => name,
  };
}

const letters = fc.array(fc.constantFrom<Letter[]>('s', 's', 's', 's', 'f', 'd', 'k'), { maxLength: 5 });
const death = fc.option(
  fc.record({
    at: fc.nat({ max: 4 }),
    how: fc.constantFrom('refused' as const, 'before' as const, 'after' as const, 'lost' as const),
  }),
  { freq: 3, nil: undefined },
);
const fate: fc.Arbitrary<Fate> = fc.record({ letters, death });

/** Applies a batch with this fate to the model. */
function batchMeets(model: LifeModel, { letters: wanted, death }: Fate): void {
  const pending = pendingIn(model);
  pending.forEach((index, at) => {
    if (death && at > death.at) return;
    const dies = death?.at === at ? death.how : undefined;
    if (dies === 'refused' || dies === 'before') return;
    const letter = wanted[at] ?? 's';
    if (letter === 'k' && dies === 'after') return;
    if (letter !== 'k') model.touched.add(index);
    // A batch that died reports no failures: its outcomes come from reading back alone.
    model.outcomes[index] = dies === 'lost' || (dies && letter === 'd') ? 'd' : dies ? 's' : letter;
  });
  model.left = [];
  if (pendingIn(model).length === 0) return nextQuestion(model);
  model.attempt++;
  asked(model, 'batch_failed');
}

const decision = fc
  .record({
    naming: fc.constantFrom<Naming[]>(
      ...(['right', 'right', 'right', 'right', 'bare', 'batch only', 'digest only'] as const),
      ...(['next', 'previous', 'other attempt', 'other digest'] as const),
    ),
    // Few ids, so that ids are often repeated.
    id: fc.option(fc.integer({ min: 1, max: 12 }).map((at) => `d${at}`)),
    by: fc.constantFrom('ana', 'ana', 'ben', 'cy', undefined),
    exclude: fc.option(fc.array(fc.nat({ max: 4 }), { maxLength: 2 }), { freq: 2, nil: [] }),
    foreign: fc.integer({ min: 0, max: 9 }).map((at) => at === 0),
    via: fc.constantFrom('update' as const, 'update' as const, 'signal' as const),
    met: fate,
  })
  .map(({ naming, id, by, exclude, foreign, via, met }) =>
    step(
      `${via} continue ${naming} ${id ?? ''} by ${by} ${JSON.stringify({ exclude, foreign, met })}`,
      async (model, reality) => {
        const pending = pendingIn(model);
        const left = [...new Set(exclude)].flatMap((at) => pending[at] ?? []);
        // The outcome of a bare confirmation without an id depends on the clock (time.test.ts).
        const decision_id = id ?? (naming === 'bare' ? randomUUID() : undefined);
        const request: ContinueRequest = {
          ...named(naming, model, reality.digest),
          ...(decision_id !== undefined && { decision_id }),
          by,
          exclude: [...left.map((at) => ({ id: IDS[at] ?? '' })), ...(foreign ? [{ id: 'stray' }] : [])],
        };
        const onGate = expectedVerdict(model, naming, request, foreign, { late: 0, via });
        const verdict = onGate === 'accepted' ? expectedApproval(model, request, pending.length) : onGate;
        const code = COUNTED.includes(verdict) ? 'accepted' : verdict;
        if (code !== 'accepted' && code !== 'duplicate' && id !== null) model.refused.set(id, code);
        if (code === 'accepted') {
          const { batch, attempt } = model;
          const made = { batch, attempt, digest: reality.digest, by, left: leftOut(request.exclude) };
          reality.tool.meet(met);
          if (decided(model, { ...made, id: decision_id }, { left, code: verdict })) batchMeets(model, met);
        }
        if (code !== 'duplicate') model.recorded++;
        if (via === 'update') await byUpdate(model, reality, request, verdict);
        else await bySignal(model, reality, request, code);
      },
    ),
  );

/** What an accepted confirmation does. */
const COUNTED: readonly string[] = ['accepted', 'counts', 'leaves_out'];

async function byUpdate(
  model: LifeModel,
  reality: Reality,
  request: ContinueRequest,
  verdict: string,
): Promise<void> {
  const { answer, code } = await reality.update('continue', request);
  if (verdict === 'duplicate') return expect(answer).toMatchObject({ total: ITEMS });
  if (!COUNTED.includes(verdict)) return expect(code).toBe(verdict);
  const recorded = { counts: 'approval', leaves_out: 'left_out' }[verdict];
  expect(answer).toMatchObject({
    ...{ state: model.state, remaining: tally(model, 'p') },
    ...(recorded && { recorded }),
  });
}

async function bySignal(
  model: LifeModel,
  reality: Reality,
  request: ContinueRequest,
  verdict: string,
): Promise<void> {
  await reality.signal('continue', request);
  // A duplicate leaves no record. A later update is answered after it.
  if (verdict === 'duplicate') await reality.update('ready');
  const { confirmations } = await reality.recorded(model.recorded);
  const wanted = verdict === 'duplicate' ? [] : [{ outcome: verdict, via: 'signal' }];
  expect(confirmations.slice(model.recorded - wanted.length)).toMatchObject(wanted);
}

const restart = fc.constant(step('the worker is restarted', (_, reality) => reality.harness.restartWorker()));

const cancel = fc.constant(
  step('cancel', async (model, reality) => {
    end(model, 'cancelled');
    model.recorded++;
    expect((await reality.update('cancel')).answer).toMatchObject({ state: 'cancelled' });
  }),
);

const revise = fc.constant(
  step(
    'send back',
    async (model, reality) => {
      const request = { ...named('right', model, reality.digest), note: 'Archive them instead.' };
      end(model, 'cancelled');
      model.recorded++;
      const { answer } = await reality.update('revise', request);
      expect(answer).toMatchObject({ state: 'cancelled', sent_back: { note: request.note } });
    },
    gateOpen,
  ),
);

/** The rest is planned anew for another mark, and asked about again; nothing runs. */
const edit = fc
  .record({
    naming: fc.constantFrom<Naming[]>('right', 'right', 'right', 'bare', 'previous', 'other digest'),
    id: fc.option(fc.integer({ min: 1, max: 12 }).map((at) => `d${at}`)),
  })
  .map(({ naming, id }) =>
    step(`edit ${naming} ${id ?? ''}`, async (model, reality) => {
      const mark = `mark ${model.recorded + 1}`;
      const gate = named(naming, model, reality.digest);
      const request = { ...gate, change: { mark }, ...(id !== null && { decision_id: id }) };
      const verdict = expectedEdit(model, naming, request);
      const { answer, code } = await reality.update('edit', request);
      if (verdict === 'duplicate') return expect(answer).toMatchObject({ total: ITEMS });
      model.recorded++;
      if (verdict !== 'accepted') {
        if (id !== null && !model.refused.has(id)) model.refused.set(id, verdict);
        return expect(code).toBe(verdict);
      }
      model.attempt++;
      asked(model, 'awaiting_confirmation');
      model.edits.push(id ?? undefined);
      expect(answer).toMatchObject({
        remaining: tally(model, 'p'),
        next_batch: { number: model.batch, attempt: model.attempt, change: { fields: [{ to: mark }] } },
      });
    }),
  );

const force = fc.constant(
  step('complete by force', async (model, reality) => {
    const missing_count = tally(model, 'p');
    end(model, 'completed');
    model.recorded++;
    const { answer } = await reality.update<CompletionGuardResult>('complete', {
      force: true,
      reason: 'enough',
    });
    expect(answer).toMatchObject({ allowed: true, missing_count });
  }),
);

const complete = fc.constant(
  step('complete', async (model, reality) => {
    model.recorded++;
    const { answer } = await reality.update<CompletionGuardResult>('complete');
    expect(answer).toMatchObject({ allowed: false, missing_count: tally(model, 'p') });
  }),
);

const extend = fc.constant(
  step('extend', async (model, reality) => {
    model.recorded++;
    expect((await reality.update('extend', { seconds: 60 })).answer).toMatchObject({
      needs_confirmation: true,
    });
  }),
);

const resolve = fc.tuple(fc.nat({ max: 20 }), fc.boolean()).map(([at, good]) =>
  step(
    `resolve ${at} as ${good ? 'succeeded' : 'failed'}`,
    async (model, reality) => {
      const doubtful = model.outcomes.flatMap((letter, index) => (letter === 'd' ? [index] : []));
      const index = doubtful[at % doubtful.length] ?? 0;
      model.outcomes[index] = good ? 's' : 'f';
      if (model.state === 'awaiting_resolution' && tally(model, 'd') === 0) model.state = 'completed';
      model.recorded++;
      const request = { item_id: IDS[index], outcome: good ? 'succeeded' : 'failed', reason: 'looked' };
      expect((await reality.update('resolve', request)).answer).toMatchObject({
        in_doubt: tally(model, 'd'),
      });
    },
    (model) => !closed(model) && model.outcomes.includes('d'),
  ),
);

const resolveNothing = fc.constant(
  step('resolve an item that is not in doubt', async (model, reality) => {
    const index = model.outcomes.findIndex((letter) => letter !== 'd');
    const request = { item_id: IDS[index], outcome: 'failed', reason: 'looked' };
    expect(await reality.update('resolve', request)).toEqual({ code: 'INVALID_INPUT' });
  }),
);

const afterTheEnd = fc.constant(
  step(
    'continue after the end',
    async (model, reality) => {
      const { code } = await reality.update('continue', { batch: model.batch });
      // The workflow refuses it until its last write has ended. After that, no workflow is open.
      expect(['OPERATION_CLOSED', 'NOT_FOUND']).toContain(code);
    },
    closed,
  ),
);

const rare = fc.oneof(cancel, revise, edit, edit, force, complete, extend, resolveNothing, restart, restart);

/** Up to fifteen steps. Repeats in the list are weights. */
export const anything = fc.commands(
  [decision, decision, decision, decision, decision, resolve, rare, afterTheEnd],
  {
    maxCommands: 15,
    size: '+1',
  },
);
