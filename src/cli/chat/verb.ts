import { createInterface } from 'node:readline';
import type { Command } from 'commander';
import type { Client } from '@temporalio/client';
import { withClient } from '../connect';
import { io } from '../io';
import { note } from '../output';
import { verb } from '../verb';
import { createTalk, type Talk } from './talk';

interface ChatFlags {
  session: string;
  profile?: string;
}

export function addChatVerb(program: Command): void {
  verb(program, 'chat', 'talk to the assistant, which plans and asks; each line is a message', chat)
    .option('--session <id>', 'the conversation', 'chat')
    .option('--profile <name>', 'whose limits a new assistant has');
}

/** Shows the open questions. Then each line is a message, until the end of input or Ctrl-C. */
async function chat(json: boolean, { session, profile }: ChatFlags): Promise<void> {
  await withClient(async (client: Client, task_queue) => {
    const talk = createTalk(client, { session, task_queue, json, profile });
    const interruption = interrupted(talk);
    await talk.restore();
    const lines = createInterface({ input: io().stdin, terminal: false })[Symbol.asyncIterator]();
    for (;;) {
      const listening = talk.listen();
      const next = await Promise.race([interruption, lines.next()]);
      const at = Date.now();
      await listening.stop();
      if (next.done) break;
      const line = next.value.replace(/^\uFEFF/, '');
      if (line.trim() !== '') await talk.say(line, at);
    }
    talk.leave();
    // A writer may keep the pipe open; nothing more is read from it.
    io().stdin.destroy();
  });
}

/** Ctrl-C stops the running turn, or ends the conversation if there is none. */
function interrupted(talk: Talk): Promise<{ done: true }> {
  return new Promise((resolve) => {
    const listen = () =>
      io().onInterrupt(() => {
        if (!talk.stop()) return resolve({ done: true });
        note('Stopping the turn; operations continue. Press Ctrl-C again to leave.');
        listen();
      });
    listen();
  });
}
