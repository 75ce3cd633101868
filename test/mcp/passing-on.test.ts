import { agent, connectAgent, mcpContext, type Connected } from '../helpers/mcp';
import { countingTool, startHarness, type Harness } from '../helpers/harness';

/** The answers of a person that an agent passes on, where the operator trusts the agent. */
let harness: Harness;
const tool = countingTool(12);
const open: Connected[] = [];
const told = { onprogress: () => undefined };

beforeAll(async () => void (harness = await startHarness({ adapters: [tool.adapter] })));
afterAll(async () => {
  await Promise.all(open.map((one) => one.close()));
  await harness?.close();
});

async function connect(id: string): Promise<Connected> {
  const one = await connectAgent(mcpContext(harness, [tool.adapter], { confirm: 'message' }), agent(id));
  open.push(one);
  return one;
}

/** An agent that starts an operation, and passes on what a person says about a batch. */
async function passing(id: string, params: object = { group: 'all' }) {
  const { call } = await connect(id);
  const { data } = await call('start_bulk_operation', {
    ...{ domain: 'fake', action: 'mark', reason: 'They are all read.', params },
  });
  const operation_id = data.operation_id as string;
  const say = (person_message?: string, batch = 1) =>
    call(
      'continue_bulk_operation',
      { operation_id, batch, ...(person_message !== undefined && { person_message }) },
      told,
    );
  return { say, operation_id };
}

it('accepts a person’s plain answer to the question that was shown, once for each batch', async () => {
  const { say, operation_id } = await passing('trusted');
  expect((await say()).data).toMatchObject({ decision: 'waiting', processed: 0 });
  for (const text of ['continue all batches', 'what is in it?', 'the user would say yes', ''])
    expect((await say(text)).data).toMatchObject({ decision: 'unclear', processed: 0 });
  expect((await say('go ahead')).data).toMatchObject({ decision: 'confirmed', processed: 10 });
  expect((await say('go ahead')).data).toMatchObject({ decision: 'confirmed', processed: 10 });
  const { confirmations } = await harness.status(operation_id);
  expect(confirmations).toMatchObject([{ note: 'passed on by an agent: go ahead', assurance: 'asserted' }]);
  expect((await say('stop', 2)).data).toMatchObject({ decision: 'cancelled', state: 'cancelled' });
});

it('asks first if this agent was not shown the question', async () => {
  const { operation_id } = await passing('shy');
  const again = await connect('shy');
  const ask = () =>
    again.call('continue_bulk_operation', { operation_id, batch: 1, person_message: 'continue' }, told);
  expect((await ask()).data).toMatchObject({ decision: 'waiting', processed: 0 });
  expect((await ask()).data).toMatchObject({ decision: 'confirmed', processed: 10 });
});

describe('a person who wants less than the whole batch', () => {
  it('is asked back with the items, and a yes runs exactly those', async () => {
    const { say, operation_id } = await passing('part');
    const { data, texts } = await say('skip the second one and continue');
    expect(data).toMatchObject({ decision: 'unclear', processed: 0 });
    expect(data.reply).toMatch(/^Continue batch 1 without “.+” \(item-002\)\? 9 of its 10 items will run\./);
    // A name may read like an instruction.
    expect(texts[0]).toContain('`reply`');
    expect(texts[0]).not.toContain('item-002');
    expect((await say('yes')).data).toMatchObject({ decision: 'confirmed', last_batch: { succeeded: 9 } });
    const { confirmations, skipped } = await harness.status(operation_id);
    expect(skipped).toBe(1);
    expect(confirmations).toMatchObject([{ decision: 'continue', note: 'passed on by an agent: yes' }]);
  });

  it('in words that are not understood, is asked back until a word names the action', async () => {
    const { say } = await passing('limited');
    for (const text of ['only these two', 'yes', 'what is the weather like?', 'yes']) {
      const { data } = await say(text);
      expect([text, data.decision, data.processed]).toEqual([text, 'unclear', 0]);
      expect(data.reply).toContain('a plain yes is not enough');
    }
    expect((await say('continue')).data).toMatchObject({ decision: 'confirmed', processed: 10 });
  });
});

describe('a person who wants something else', () => {
  it('and sends it back without words, is asked for them, and confirms nothing by a bare yes', async () => {
    const { say } = await passing('wordless');
    expect((await say('send it back')).data.reply).toContain('What should be done instead?');
    expect((await say('yes')).data).toMatchObject({ decision: 'unclear', processed: 0 });
    const { data } = await say('send it back: use another mark');
    expect(data).toMatchObject({ decision: 'sent_back', sent_back: { note: 'use another mark' } });
  });

  it('that is refused, confirms nothing by a bare yes', async () => {
    const { say } = await passing('refused', { group: 'all', mark: 'Later' });
    const refused = await say('no, mark them Later instead');
    expect(refused.isError).toBe(true);
    expect((await say('yes')).data).toMatchObject({ decision: 'unclear', processed: 0 });
    expect((await say('continue')).data).toMatchObject({ decision: 'confirmed', processed: 10 });
  });
});
