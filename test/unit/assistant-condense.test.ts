import { condense } from '../../activities/assistant/condense';
import type { ChatModel } from '../../activities/assistant/model';
import { countTokens } from '../../activities/assistant/tokens';
import type { Entry } from '../../src/contract/assistant';
import type { Scratchpad } from '../../src/contract/scratchpad';
import { originalsOf } from '../../src/core/assistant/history';

const LIMIT = 1_000;
const SECRET = 'hunter2-the-secret';
const SHARE = 200;

/** Condenses these entries with a model that answers by this function. */
async function condensed(entries: Entry[], answer: () => string, limit_tokens = LIMIT) {
  const kept: string[] = [];
  const scratchpad = {
    save: (_session: string, _key: string, value: string) => Promise.resolve(kept.push(value)),
  } as unknown as Scratchpad;
  const prompts: string[] = [];
  const model: ChatModel = {
    answer({ entries: [entry] }) {
      const prompt = entry && 'text' in entry ? entry.text : '';
      prompts.push(prompt);
      return Promise.resolve({ text: answer(), calls: [], used: { input: 1, output: 2 } });
    },
  };
  const assistant = { model, secrets: () => Promise.resolve([SECRET]) };
  const input = { session_id: 'S', turn: 1, step: 0, entries, limit_tokens };
  const { entry, used } = await condense({ assistant, scratchpad }, input, AbortSignal.timeout(30_000));
  if (entry.role !== 'summary') throw new Error('no summary');
  return { entry, used, prompts, kept };
}

const long = (words: number): Entry => ({ role: 'person', text: 'pear '.repeat(words), tokens: words });

it('condenses summaries of parts again until one is as short as a summary may be', async () => {
  const { entry, prompts, used } = await condensed([long(800)], () => 'plum '.repeat(190));
  expect(countTokens(entry.text)).toBeLessThanOrEqual(SHARE);
  // Two parts, and then their summaries together, which fit into one part.
  expect(prompts).toHaveLength(3);
  expect(used).toEqual({ input: 3, output: 6 });
});

it('names the limit, and what a summary must keep, with restrictions and open points first', async () => {
  const { prompts } = await condensed([long(10)], () => 'They want pears.');
  expect(prompts[0]).toContain('in at most 100 words');
  expect(prompts[0]).toMatch(/wants and does not want.*what is open.*what was done/);
});

it.each(['', ' \n'])('takes no empty answer for a summary: %j', async (nothing) => {
  await expect(condensed([long(10)], () => nothing)).rejects.toMatchObject({ code: 'ADAPTER_UNAVAILABLE' });
});

it('says whether the originals are whole', async () => {
  const short = await condensed([long(10)], () => 'Pears.');
  expect(short.entry).toMatchObject({ ref: 'history-1-0' });
  expect(short.entry).not.toHaveProperty('cut');
  const huge: Entry = { role: 'tool', call_id: 'c', tool: 'look', output: 'x'.repeat(1_100_000), tokens: 9 };
  const cut = await condensed([huge], () => 'Letters.', 2_000_000);
  expect(cut.entry).toMatchObject({ ref: 'history-1-0', cut: true });
  expect(cut.kept[0]?.length).toBeLessThan(1_000_001);
});

it('tells the model if only the beginning of the originals was kept', () => {
  expect(originalsOf({ ref: 'r' })).toBe('the originals are under ref:r');
  expect(originalsOf({ ref: 'r', cut: true })).toBe(
    'only the beginning of the originals was kept, under ref:r',
  );
  expect(originalsOf({})).toBe('the originals were not kept');
});

it('keeps no secret in a summary', async () => {
  const { entry, prompts } = await condensed(
    [{ role: 'person', text: `my key is ${SECRET}`, tokens: 9 }],
    () => `Their key is ${SECRET}.`,
  );
  expect(entry.text).toBe('Their key is ….');
  expect(prompts.join()).not.toContain(SECRET);
});
