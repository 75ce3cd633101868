import fc from '../helpers/properties';
import type { EditRequest } from '../../src/contract/messages';
import { openGate } from '../../src/core/bulk/operation';
import { closed, pendingIn, same, type Letter, type Model } from './lifecycle.model';
import { asked, end, IDS, nextQuestion, step } from './lifecycle.steps';
import { expectedEdit, named, type Naming } from './lifecycle.verdicts';

/** A person edits the change: the question closes, and nothing runs. */
export const edit = fc
  .record({
    naming: fc.constantFrom<Naming[]>(
      'bare',
      'right',
      'right',
      'right',
      'batch only',
      'previous',
      'other digest',
    ),
    id: fc.option(fc.constantFrom(...IDS)),
    by: fc.constantFrom(undefined, 'ana'),
  })
  .map(({ naming, id, by }) =>
    step(`edit ${naming} ${id ?? ''} by ${by}`, (model, driver) => {
      const request: EditRequest = {
        ...named(naming, model, openGate(driver.state)?.digest),
        ...(id !== null && { decision_id: id }),
        ...{ by, change: { label_name: 'Archive' } },
      };
      const expected = expectedEdit(model, naming, request);
      const verdict = driver.edit(request);
      const code = verdict.kind === 'refused' ? verdict.error.code : verdict.kind;
      same('the verdict on an edit', code, expected);
      if (verdict.kind === 'refused' && id !== null && !model.refused.has(id)) model.refused.set(id, code);
      if (verdict.kind !== 'accepted') return;
      const { state, deadline, extensions } = model;
      model.editing = { id: id ?? undefined, state, deadline, extensions, begunAt: model.now };
      model.state = 'preparing';
      model.deadline = undefined;
    }),
  );

/**
 * The rest was planned anew, or that failed. Before that, the requests of a batch that died may have got outcomes
 * (`late`). `conflicts`: the items that the new plan leaves out.
 */
export const planEnds = fc
  .record({
    adopted: fc.constantFrom(true, true, true, false),
    late: fc.oneof(
      { weight: 2, arbitrary: fc.constant([]) },
      { weight: 1, arbitrary: fc.array(fc.constantFrom<Letter[]>('s', 'f', 'd', 'p'), { maxLength: 6 }) },
    ),
    conflicts: fc.array(fc.constantFrom(...Array<Letter>(5).fill('p'), 'k' as const), { maxLength: 18 }),
  })
  .map(({ adopted, late, conflicts }) =>
    step(
      `the plan ${adopted ? 'is adopted' : 'fails'} ${late.join('')} ${conflicts.join('')}`,
      (model, driver) => {
        const { editing, ending } = model;
        if (!editing) return;
        const { id, begunAt, ...question } = editing;
        const settled = editing.state === 'batch_failed' ? settle(model, late) : [];
        driver.settles(settled);
        // The ledger got them with the outcomes.
        if (settled.length > 0) model.left = [];
        const rest = model.outcomes.flatMap((letter, index) => (letter === 'p' ? [index] : []));
        const isAdopted = adopted && rest.length > 0;
        if (isAdopted) rest.forEach((index, at) => (model.outcomes[index] = conflicts[at] ?? 'p'));
        driver.planEnds(isAdopted ? model.outcomes.join('') : undefined, settled.length > 0);
        delete model.editing;
        if (isAdopted || settled.length > 0) {
          if (pendingIn(model).length === 0) nextQuestion(model);
          else {
            model.attempt++;
            asked(model, 'awaiting_confirmation');
          }
        } else {
          Object.assign(model, { ...question, openedAt: model.now });
          // A deadline that passed meanwhile leaves the time that was left when the edit began.
          if (question.deadline !== undefined && question.deadline <= model.now)
            model.deadline = question.deadline - begunAt + model.now;
        }
        if (isAdopted) model.edits.push(id);
        else if (id !== undefined && !model.refused.has(id)) model.refused.set(id, 'TOOL_FAILED');
        if (ending && !closed(model)) {
          driver.end(ending);
          end(model, ending);
        }
        model.ending = undefined;
      },
      ({ editing }) => editing !== undefined,
    ),
  );

/** The first items of the open batch, with the outcomes that their last requests turned out to have. */
function settle(model: Model, late: readonly Letter[]): [index: number, outcome: Letter][] {
  const settled = pendingIn(model)
    .slice(0, late.length)
    .map((index, at): [number, Letter] => [index, late[at] ?? 'p']);
  for (const [index, outcome] of settled) model.outcomes[index] = outcome;
  return settled;
}
