import { z } from 'zod';
import { defineTool } from '../../src/contract/tools';
import {
  choose,
  harness,
  replies,
  requests,
  told,
  turnOf,
  useAssistantStage,
} from '../helpers/assistant-stage';

/** A token may stand for dozens of spaces, so these are few tokens and many bytes. */
const PAGE = `A page.${' '.repeat(250_000)}`;
const page = defineTool({
  ...{ name: 'page', description: 'Reads a page', category: 'archive' },
  ...{ read_only: true, idempotent: true, transactional: false },
  args: z.strictObject({ number: z.number(), note: z.string().optional() }),
  handler: () => Promise.resolve({ text: PAGE }),
});
useAssistantStage(undefined, () => Promise.resolve([page]));

const pages = (count: number, more = {}) => ({
  calls: Array.from({ length: count }, (_, number) => ({ tool: 'page', args: { number, ...more } })),
});

it('shows the results of a step cut if together they would not fit into a payload, and keeps them whole', async () => {
  replies(choose('archive'), pages(10), { text: 'Ten empty pages.' });
  const { state, answer, calls } = await turnOf('pages', 'read them');
  expect({ state, answer }).toEqual({ state: 'answered', answer: 'Ten empty pages.' });
  expect(calls.map((call) => call.state)).toEqual(Array.from({ length: 10 }, () => 'done'));
  expect(Buffer.byteLength(JSON.stringify(requests.at(-1)?.messages))).toBeLessThan(400_000);
  const shown = [...told().matchAll(/ref:(output-[-\w]+)/g)].map(([, key = '']) => key);
  expect(shown).toHaveLength(10);
  const kept = await harness.store.scratchpad.read('pages', shown);
  expect([...kept.values()]).toEqual(Array.from({ length: 10 }, () => ({ text: PAGE })));
});

it('takes no more arguments of one answer than fit into a payload, and tells the model', async () => {
  replies(choose('archive'), pages(3, { note: 'x'.repeat(60_000) }), { text: 'One page was empty.' });
  const { state, calls } = await turnOf('notes', 'read them');
  expect(state).toBe('answered');
  expect(calls).toMatchObject([
    { state: 'refused', said: expect.stringContaining('at most 100 KB') as string },
    { state: 'refused' },
    { state: 'done' },
  ]);
});
