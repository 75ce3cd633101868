import fc from '../helpers/properties';
import type { TurnView } from '../../src/contract/assistant';
import {
  beginningOf,
  idOf,
  placeOf,
  tellCall,
  tellEnd,
  tellText,
  type Told,
} from '../../src/core/assistant/place';

const turn = (more: Partial<TurnView>): TurnView => ({
  ...{ number: 1, about: 'message', text: 'hello', state: 'answered', operations: [], calls: [] },
  ...{ steps: 1, steps_left: 3, calls_left: 3 },
  ...more,
});

it('gives a reader who returns with any id the whole text of each step, even if a step was restarted', () => {
  const growths = fc.array(
    fc.record({ step: fc.integer({ min: 0, max: 2 }), text: fc.string(), away: fc.boolean() }),
  );
  fc.assert(
    fc.property(growths, (looks) => {
      let place = beginningOf(1);
      const read = new Map<number, string>();
      const steps = [...looks].sort((a, b) => a.step - b.step);
      for (const { step, text, away } of steps) {
        // After a lost connection, only the id of the place is left.
        if (away) place = placeOf(idOf(place)) ?? beginningOf(1);
        const told = tellText(place, { step, text });
        if (!told) continue;
        place = told.place;
        if (told.event.event !== 'text') throw new Error('another event');
        const { at, text: more } = told.event.data;
        read.set(step, (read.get(step) ?? '').slice(0, at) + more);
        expect(read.get(step)).toBe(text);
      }
    }),
  );
});

it('reports a call when it begins and when it ends, once each, and the answer, the questions and the end', () => {
  const names = (told: (Told | undefined)[]) =>
    told.flatMap((one) => (one ? [`${one.event.event} ${JSON.stringify(one.event.data)}`] : [])).length;
  let place = beginningOf(4);
  const call = (state: 'running' | 'done', number = 0) => {
    const told = tellCall(place, { number, call: { tool: 'look', state } });
    place = told?.place ?? place;
    return names([told]);
  };
  expect([call('running'), call('running'), call('done'), call('running'), call('done')]).toEqual([
    1, 0, 1, 0, 0,
  ]);
  expect([call('done', 1), call('done', 1)]).toEqual([1, 0]);
  const calls = [
    { tool: 'look', state: 'done' as const },
    { tool: 'look', state: 'done' as const },
  ];
  const question = { operation_id: 'bulk-1' } as never;
  const view = turn({ number: 4, state: 'waits', answer: 'I will.', calls });
  const end = tellEnd(place, view, [question]);
  expect(end.map(({ event }) => event.event)).toEqual(['text', 'question', 'turn']);
  // After each of these events, a reader that reconnects gets the rest.
  const after = end.map((one) => placeOf(idOf(one.place)) ?? beginningOf(0));
  expect(after.map(({ turn: number }) => number)).toEqual([4, 4, 5]);
  const rest = after.slice(0, 2).map((at) => tellEnd(at, view, [question]).map(({ event }) => event.event));
  expect(rest).toEqual([['question', 'turn'], ['turn']]);
});

it('reads no position from a foreign id', () => {
  for (const id of [undefined, '', '1', '1.2.3', 'a.b.c.d.e', `${'9'.repeat(12)}.0.0.0.`])
    expect(placeOf(id)).toBeUndefined();
});
