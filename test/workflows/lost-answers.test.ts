import { setTimeout as pause } from 'node:timers/promises';
import type { PayloadCodec } from '@temporalio/common';
import { Client } from 'pg';
import { z } from 'zod';
import { BatchgateError } from '../../src/contract/errors';
import { defineTool } from '../../src/contract/tools';
import { openStore } from '../../src/postgres/store/open';
import { awaitMacro, startMacro, stopAssistant } from '../../src/client';
import {
  choose,
  ended,
  harness,
  replies,
  say,
  told,
  turnOf,
  use,
  useAssistantStage,
} from '../helpers/assistant-stage';
import { gateway } from '../helpers/harness';
import { lookAgain } from '../helpers/look-again';
import { newStoreUrl } from '../helpers/store';

/** The letters that were written. */
const written: string[] = [];
let database: Client;
beforeEach(() => void (written.length = 0));

const REFUSED = 'an answer that cannot be encoded';
const HELD = 'an answer that never arrives';
const over = gateway();
/** The answers of some calls are lost on their way to the server. */
const codec: PayloadCodec = {
  async encode(payloads) {
    const text = payloads.map(({ data }) => Buffer.from(data ?? []).toString()).join('');
    if (text.includes(`"answer":"${REFUSED}"`)) throw new Error('The keys cannot be reached');
    if (text.includes(`"answer":"${HELD}"`)) await over.opened;
    return payloads;
  },
  decode: (payloads) => Promise.resolve(payloads),
};

const writes = { description: 'Writes a letter', category: 'post', read_only: false } as const;
const args = z.strictObject({ to: z.string() });
const write = ({ to }: { to: string }, answer: string) => {
  written.push(to);
  return Promise.resolve({ answer });
};
const tools = [
  defineTool({
    ...{ ...writes, name: 'write_at_length', idempotent: false, transactional: false, args },
    async handler({ to }) {
      await database.query('alter table batchgate.scratchpad rename to scratchpad_away');
      return write({ to }, `Dear ${to}, ${'word '.repeat(10_000)}`);
    },
  }),
  defineTool({
    ...{ ...writes, name: 'write_once', idempotent: false, transactional: false, args },
    handler: (letter) => write(letter, REFUSED),
  }),
  defineTool({
    ...{ ...writes, name: 'write_or_fail', idempotent: true, transactional: false, args },
    fallback: 'write_once',
    handler: (letter) =>
      written.length === 0
        ? write(letter, HELD)
        : Promise.reject(new BatchgateError('ADAPTER_UNAVAILABLE', 'The post office is closed.', 'Wait.')),
  }),
  defineTool({
    ...{ ...writes, name: 'write_a_book', idempotent: false, transactional: false, args },
    handler: (letter) => write(letter, 'word '.repeat(300_000)),
  }),
  defineTool({
    ...{ ...writes, name: 'write_again', idempotent: true, transactional: false, args },
    handler: (letter) => write(letter, HELD),
  }),
  defineTool({
    ...{ ...writes, name: 'read_it', read_only: true, idempotent: true, transactional: false, args },
    handler: () => Promise.resolve({ answer: HELD }),
  }),
];

// Hooks run in their order: the harness waits for the calls that still run.
afterAll(async () => {
  over.open();
  await database.end();
});
useAssistantStage(
  undefined,
  () => Promise.resolve(tools),
  async () => {
    const databaseUrl = await newStoreUrl();
    database = new Client(databaseUrl);
    await database.connect();
    const store = await openStore({ dataDir: '', databaseUrl });
    const dataConverter = { payloadCodecs: [codec] };
    return { store, dataConverter, settings: { tool_timeout_ms: 2_000 } };
  },
);

it('shows the result of a call that was made, and says that it was not kept if the scratchpad fails', async () => {
  replies(choose('post'), use('write_at_length', { to: 'ana' }), { text: 'The letter is written.' });
  const { state, calls } = await turnOf('unkept', 'write to ana');
  await database.query('alter table batchgate.scratchpad_away rename to scratchpad');
  expect(state).toBe('answered');
  expect(calls).toMatchObject([{ tool: 'write_at_length', state: 'done' }]);
  expect(told()).toMatch(/was not kept: the scratchpad failed\..*Dear ana, word/);
  expect(written).toEqual(['ana']);
});

it.each([
  ['write_once', 1, 'The keys cannot be reached.'],
  ['write_again', 4, 'The tool or its worker did not answer in time.'],
])(
  'reports the effect of %s as unknown if the answer of each try was lost, and does not repeat it',
  async (tool, tries, why) => {
    const letter = use(tool, { to: 'bob' });
    replies(choose('post'), letter, letter, { text: 'I do not know whether it was written.' });
    const { state, calls } = await turnOf(tool, 'write to bob');
    expect(state).toBe('answered');
    expect(calls).toMatchObject([
      {
        tool,
        state: 'failed',
        said: expect.stringContaining(`${tool}: ${why} Its effect is unknown.`) as string,
      },
      { tool, state: 'refused' },
    ]);
    expect(written).toEqual(Array.from({ length: tries }, () => 'bob'));
  },
);

it('reports the effect of a call as unknown, and not as not made, if the person stops the turn before it is made again', async () => {
  replies(choose('post'), use('write_again', { to: 'eve' }), { text: 'I do not know.' });
  const receipt = await say('stop-again', 'write to eve');
  if (receipt.to !== 'assistant') throw new Error('no turn');
  while (written.length === 0) await lookAgain();
  // The first try is over after two seconds, and the next one begins half a second later.
  await pause(2_200);
  await stopAssistant(harness.client, 'stop-again', receipt.number);
  expect(await ended('stop-again', receipt.number)).toMatchObject({ state: 'stopped' });
  expect(await turnOf('stop-again', 'was it written?')).toMatchObject({ answer: 'I do not know.' });
  expect(told()).toContain('effect is unknown');
  expect(told()).not.toContain('not_made');
});

it('calls no fallback if an earlier try of the failed call may have been carried out', async () => {
  replies(choose('post'), use('write_or_fail', { to: 'bob' }), { text: 'I do not know.' });
  const { calls } = await turnOf('earlier', 'write to bob');
  expect(calls).toMatchObject([
    {
      ...{ tool: 'write_or_fail', state: 'failed' },
      said: expect.stringContaining(
        'The post office is closed. An earlier attempt failed or was lost, so its effect is unknown.',
      ) as string,
    },
  ]);
  expect(calls).toHaveLength(1);
  expect(written).toEqual(['bob']);
});

async function inMacro(command: string) {
  const { client, taskQueue } = harness;
  const steps = [{ type: 'command' as const, command, args: { to: 'eve' } }];
  const { run_id } = await startMacro(
    client,
    { macro: { name: 'letters', steps } },
    { task_queue: taskQueue },
  );
  return awaitMacro(client, run_id);
}

it.each([
  ['write_again', 4, 'write_again: its worker died, or it did not answer in time. Its effect is unknown'],
  ['write_once', 1, 'write_once: The keys cannot be reached. Its effect is unknown'],
  ['write_or_fail', 1, 'The post office is closed. An earlier attempt failed or was lost'],
  ['write_a_book', 1, 'What write_a_book answered is 15'],
])("reports the effect of a macro's %s as unknown if its answer is lost or too large", async (...row) => {
  const [command, tries, said] = row;
  expect(await inMacro(command)).toMatchObject({
    state: 'failed',
    error: {
      message: expect.stringContaining(said) as string,
      details: { cause: { outcome_unknown: true } },
    },
  });
  expect(written).toEqual(Array.from({ length: tries }, () => 'eve'));
});

it("reports a macro's call that only reads as failed if its answer is lost, because it has no effect", async () => {
  const { state, error } = await inMacro('read_it');
  expect(state).toBe('failed');
  expect(error?.message).toContain('did not answer in time');
  expect(JSON.stringify(error)).not.toContain('unknown');
});
