import { setTimeout as pause } from 'node:timers/promises';
import { Context } from '@temporalio/activity';
import type { TestWorkflowEnvironment } from '@temporalio/testing';
import type { ChatModel } from '../../activities/assistant/model';
import { getAssistant, setProfile } from '../../src/client';
import { assistantId, type AssistantStatus } from '../../src/contract/assistant';
import { BatchgateError } from '../../src/contract/errors';
import { RECORDED_MODEL } from '../replay/assistant-paths';
import { startSuggestingServer } from '../replay/stage';
import { countingTool, gateway, startHarness, type Harness } from '../helpers/harness';

/** So few that a run continues as new after each activity. */
const EVENTS_PER_RUN = 5;
const SLOW_BEAT_MS = 800;

let server: TestWorkflowEnvironment;
let harness: Harness;
let answer: ChatModel['answer'];

beforeAll(async () => {
  server = await startSuggestingServer(EVENTS_PER_RUN);
  harness = await startHarness({
    adapters: [countingTool(25).adapter],
    chatModel: { answer: (...request) => answer(...request) },
    connect: { client: server.client, connection: server.nativeConnection },
  });
});
afterAll(async () => {
  await harness.close();
  await server.teardown();
});

async function begin(session_id: string, more: object = {}) {
  const { client, taskQueue } = harness;
  const workflowId = assistantId(session_id);
  await client.workflow.start('assistant', { workflowId, taskQueue, args: [{ session_id, ...more }] });
  // Without a run id, it follows the chain.
  const handle = client.workflow.getHandle(workflowId);
  const say = (text: string) =>
    handle.executeUpdate<{ turn: number }, [object]>('message', { args: [{ text }] });
  const until = async (wanted: (status: AssistantStatus) => boolean) => {
    for (;;) {
      const status = await getAssistant(client, session_id);
      if (wanted(status)) return status;
      await pause(50);
    }
  };
  const over = (turn: number) =>
    until(({ turns }) => turns.some(({ number, state }) => number === turn && state !== 'working'));
  return { handle, say, until, over };
}

it('does not continue as new while its conversation and messages are too large for that, and does later', async () => {
  const wide = { op_user_input_limit_tokens: 1_000_000, op_context_limit_tokens: 2_000_000 };
  await setProfile(harness.client, wide, 'wide', harness.taskQueue);
  const [reached, filled] = [gateway(), gateway()];
  /** The run of each turn's call of the model. */
  const runs: (string | undefined)[] = [];
  answer = async () => {
    runs.push(Context.current().info.workflowExecution?.runId);
    if (runs.length === 6) {
      reached.open();
      await filled.opened;
    }
    throw new BatchgateError('CREDENTIALS_INVALID', 'The model refuses our key.', 'Correct it.');
  };
  const { handle, say, over } = await begin('large', { profile: 'wide' });
  const message = 'pear '.repeat(39_500);
  // Nothing is condensed without the model. Six messages, 1.2 MB, are the most that a turn leaves.
  for (let turn = 1; turn <= 5; turn++) await over((await say(message)).turn);
  await say(message);
  await reached.opened;
  for (let waiting = 0; waiting < 4; waiting++) await say(message);
  filled.open();
  await over(10);
  await handle.cancel();
  expect(await handle.result()).toMatchObject({ state: 'cancelled' });
  // At its end, turn 7 drops the older part of the conversation.
  expect(runs).toHaveLength(10);
  expect(runs[6]).toBe(runs[5]);
  expect(new Set(runs).size).toBe(9);
});

describe('while it continues as new, and waits for the end of a call', () => {
  /** The session waits for an operation; the next message makes it continue as new, and stop to wait for that. */
  const waiting = async (session_id: string) => {
    answer = (...request) => RECORDED_MODEL.answer(...request);
    const assistant = await begin(session_id);
    await assistant.over((await assistant.say('mark them')).turn);
    const { handle } = assistant;
    // The call learns of its cancellation with its next heartbeat. These come fast at first, and each second later.
    const beats = new Set<number>();
    const gap = () => {
      const [before = 0, last = 0] = [...beats].slice(-2);
      return before === 0 ? 0 : last - before;
    };
    while (gap() < SLOW_BEAT_MS) {
      const { pendingActivities } = (await handle.describe()).raw;
      const wait = pendingActivities?.find(({ activityType }) => activityType?.name === 'awaitOperation');
      const { seconds, nanos } = wait?.lastHeartbeatTime ?? {};
      if (seconds) beats.add(Number(seconds) * 1_000 + Math.floor((nanos ?? 0) / 1e6));
    }
    return assistant;
  };

  it('accepts a cancellation', async () => {
    const { handle, say } = await waiting('cancelled');
    await say('hello');
    await handle.cancel();
    expect(await handle.result()).toMatchObject({ state: 'cancelled' });
  });

  it('keeps a message', async () => {
    const { handle, say, over } = await waiting('told');
    await say('hello');
    const { turns } = await over((await say('and you?')).turn);
    expect(turns.slice(-2)).toMatchObject([{ answer: 'After hello' }, { answer: 'After and you?' }]);
    await handle.cancel();
    await handle.result();
  });
});
