import { randomUUID } from 'node:crypto';
import fc from '../helpers/properties';
import type { ContinueRequest } from '../../src/contract/messages';
import type { CompletionGuardResult } from '../../src/contract/progress';
import { manyItems } from '../helpers/harness';
import { expectedEdit, expectedVerdict, named, type Naming } from '../unit/lifecycle.verdicts';
import { closed, gateOpen, pendingIn, tally, toNext, type Letter } from '../unit/lifecycle.model';
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

const letters = fc.array(fc.constantFrom<Letter[]>('s', 's', 's', 's', 'f', 'd'), { maxLength: 5 });
const death = fc.option(
  fc.record({
    at: fc.nat({ max: 4 }),
    how: fc.constantFrom('refused' as const, 'before' as const, 'after' as const, 'lost' as const),
  }),
  { freq: 3, nil: undefined },
);
const fate: fc.Arbitrary<Fate> = fc.record({ letters, death });

/** Applies a batch with this fate to the model. */
function batchMeets(model: LifeModel, { letters: wanted, death: end }: Fate): void {
  const pending = pendingIn(model);
  pending.forEach((index, at) => {
    if (end && at > end.at) return;
    const dies = end?.at === at ? end.how : undefined;
    if (dies === 'refused' || dies === 'before') return;
    model.touched.add(index);
    const letter = wanted[at] ?? 's';
    // A batch that died reports no failures: its outcomes come from reading back alone.
    model.outcomes[index] = dies === 'lost' || (dies && letter === 'd') ? 'd' : dies ? 's' : letter;
  });
  if (pendingIn(model).length > 0) {
    model.attempt++;
    model.state = 'batch_failed';
    return;
  }
  toNext(model);
  Object.assign(model, { attempt: 1, state: 'awaiting_confirmation' });
  if (tally(model, 'p') === 0) model.state = tally(model, 'd') > 0 ? 'awaiting_resolution' : 'completed';
}

const decision = fc
  .record({
    naming: fc.constantFrom<Naming[]>(
      ...(['right', 'right', 'right', 'right', 'bare', 'batch only', 'digest only'] as const),
      ...(['next', 'previous', 'other attempt', 'other digest'] as const),
    ),
    // Few ids, so that ids are often repeated.
    id: fc.option(fc.integer({ min: 1, max: 12 }).map((at) => `d${at}`)),
    exclude: fc.option(fc.array(fc.nat({ max: 4 }), { maxLength: 2 }), { freq: 2, nil: [] }),
    foreign: fc.integer({ min: 0, max: 9 }).map((at) => at === 0),
    via: fc.constantFrom('update' as const, 'update' as const, 'signal' as const),
    met: fate,
  })
  .map(({ naming, id, exclude, foreign, via, met }) =>
    step(
      `${via} continue ${naming} ${id ?? ''} ${JSON.stringify({ exclude, foreign, met })}`,
      async (model, reality) => {
        const left = [...new Set(exclude)].flatMap((at) => pendingIn(model)[at] ?? []);
        const request: ContinueRequest = {
          ...named(naming, model, reality.digest),
          // The outcome of a bare confirmation without an id depends on the clock (time.test.ts).
          ...(id !== null || naming === 'bare' ? { decision_id: id ?? randomUUID() } : {}),
          exclude: [...left.map((at) => ({ id: IDS[at] ?? '' })), ...(foreign ? [{ id: 'stray' }] : [])],
        };
        const verdict = expectedVerdict(model, naming, request, foreign);
        if (verdict !== 'accepted' && verdict !== 'duplicate' && id !== null) model.refused.set(id, verdict);
        if (verdict === 'accepted') accept(model, reality, { left, id, met });
        if (verdict !== 'duplicate') model.recorded++;
        if (via === 'update') await byUpdate(model, reality, request, verdict);
        else await bySignal(model, reality, request, verdict);
      },
    ),
  );

function accept(
  model: LifeModel,
  reality: Reality,
  { left, id, met }: { left: number[]; id: string | null; met: Fate },
): void {
  reality.tool.meet(met);
  for (const index of left) model.outcomes[index] = 'k';
  if (id !== null) model.decided.add(id);
  model.accepted++;
  batchMeets(model, met);
}

async function byUpdate(
  model: LifeModel,
  reality: Reality,
  request: ContinueRequest,
  verdict: string,
): Promise<void> {
  const { answer, code } = await reality.update('continue', request);
  if (verdict === 'accepted')
    expect(answer).toMatchObject({ state: model.state, remaining: tally(model, 'p') });
  else if (verdict === 'duplicate') expect(answer).toMatchObject({ total: ITEMS });
  else expect(code).toBe(verdict);
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
    model.state = 'cancelled';
    model.recorded++;
    expect((await reality.update('cancel')).answer).toMatchObject({ state: 'cancelled' });
  }),
);

const revise = fc.constant(
  step(
    'send back',
    async (model, reality) => {
      const request = { ...named('right', model, reality.digest), note: 'Archive them instead.' };
      model.state = 'cancelled';
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
      Object.assign(model, { state: 'awaiting_confirmation', attempt: model.attempt + 1 });
      model.edits.push(id ?? undefined);
      expect(answer).toMatchObject({
        remaining: tally(model, 'p'),
        next_batch: { number: model.batch, attempt: model.attempt, change: { fields: [{ to: mark }] } },
      });
    }),
  );

const force = fc.constant(
  step('complete by force', async (model, reality) => {
    model.state = 'completed';
    model.recorded++;
    const { answer } = await reality.update<CompletionGuardResult>('complete', {
      force: true,
      reason: 'enough',
    });
    expect(answer).toMatchObject({ allowed: true, missing_count: tally(model, 'p') });
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
