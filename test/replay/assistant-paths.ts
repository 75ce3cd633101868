import type { ChatModel } from '../../activities/assistant/model';
import { answerMacro } from '../../src/client';
import { assistantId } from '../../src/contract/assistant';
import type { AssistantStatus } from '../../src/contract/assistant';
import type { Path, Scene } from './stage';

/** Answers by the last message or notice, and by how many tool results came after it. */
export const RECORDED_MODEL: ChatModel = {
  answer({ entries }, signal) {
    const used = { input: 1, output: 1 };
    const since = entries.slice(entries.findLastIndex(({ role }) => role === 'person' || role === 'notice'));
    const [about] = since;
    const text = about && 'text' in about ? about.text : '';
    // Answers nothing until it is stopped.
    if (text === 'think long')
      return new Promise((_, reject) => {
        signal.addEventListener('abort', () => reject(signal.reason as Error), { once: true });
      });
    const made = since.filter(({ role }) => role === 'tool').length;
    const call = (tool: string, args: object) => [
      { id: `call-${entries.length}`, tool, args: args as never },
    ];
    const plan = CALLS[text]?.[made];
    return Promise.resolve(
      plan ? { text: '', calls: call(...plan), used } : { text: `After ${text}`, calls: [], used },
    );
  },
};

const CALLS: Record<string, [tool: string, args: object][]> = {
  'mark them': [
    ['choose_tools', { categories: ['bulk'] }],
    [
      'start_bulk_operation',
      {
        domain: 'fake',
        action: 'mark',
        params: { group: 'all' },
        batch_size: 5,
        reason: 'They are all read.',
      },
    ],
  ],
  'look at none': [
    ['choose_tools', { categories: ['bulk'] }],
    ['get_bulk_status', { operation_id: 'none' }],
    ['get_bulk_status', { operation_id: 'none' }],
  ],
  'propose it': [
    ['choose_tools', { categories: ['macros'] }],
    [
      'propose_macro',
      { macro: { name: 'count', steps: [{ type: 'set', variable: 'n', expression: '1 + 1' }] } },
    ],
  ],
  'use my list': [
    ['choose_tools', { categories: ['scratchpad'] }],
    ['scratchpad_save', { key: 'copy', value: 'ref:list' }],
  ],
};

async function begin({ harness, id }: Scene) {
  const session_id = id.replace(/^assistant-/, '');
  const handle = await harness.client.workflow.start('assistant', {
    ...{ workflowId: assistantId(session_id), taskQueue: harness.taskQueue, args: [{ session_id }] },
  });
  const say = (text: string) =>
    handle.executeUpdate<{ turn: number }, [object]>('message', { args: [{ text }] });
  const until = async (wanted: (status: AssistantStatus) => boolean) => {
    for (;;) {
      const status = await handle.query<AssistantStatus>('get');
      if (wanted(status)) return status;
    }
  };
  const isThinking = async () => {
    for (;;) {
      const { pendingActivities } = (await handle.describe()).raw;
      if (pendingActivities?.some(({ activityType }) => activityType?.name === 'think')) return;
    }
  };
  const over = async (turn: number) =>
    until(({ turns }) => turns.some(({ number, state }) => number === turn && state !== 'working'));
  return { handle, say, isThinking, over };
}

/** Paths of one run each. A path's name is the id of its workflow. */
export const ASSISTANTS: Record<string, Path> = {
  'assistant-asks-answers-and-gives-up': async (scene) => {
    const { handle, say, isThinking, over } = await begin(scene);
    await over((await say('hello')).turn);
    await over((await say('look at none')).turn);
    await over((await say('use my list')).turn);
    const { turn } = await say('think long');
    await isThinking();
    await handle.executeUpdate('stop');
    await over(turn);
    await handle.cancel();
    await handle.result();
  },
  'assistant-starts-an-operation-and-tells-its-end': async (scene) => {
    const { handle, say, over } = await begin(scene);
    const { turns } = await over((await say('mark them')).turn);
    const operation = scene.harness.client.workflow.getHandle(turns[0]?.operations[0] ?? '');
    await operation.executeUpdate('continue', { args: [{ batch: 1 }] });
    await over(2);
    await handle.cancel();
    await handle.result();
  },
  'assistant-proposes-a-macro-and-tells-its-end': async (scene) => {
    const { handle, say, over } = await begin(scene);
    const { turns } = await over((await say('propose it')).turn);
    const [run = ''] = turns[0]?.asked?.digest.split('#') ?? [];
    await answerMacro(scene.harness.client, run, { answer: 'run' });
    await over(2);
    await handle.cancel();
    await handle.result();
  },
};

/** Paths of several runs, on a server that suggests continue-as-new early. */
export const CHAINED_ASSISTANTS: Record<string, Path> = {
  'assistant-continued-as-new': async (scene) => {
    const { handle, say, over } = await begin(scene);
    for (const text of ['one', 'two', 'three']) await over((await say(text)).turn);
    await handle.cancel();
    await scene.harness.client.workflow.getHandle(handle.workflowId).result();
  },
};
