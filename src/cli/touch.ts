import type { Command } from 'commander';
import { touch } from '../client';
import { oneLine } from '../core/plain-text';
import { withClient } from './connect';
import { print, printJson } from './output';
import { verb } from './verb';

export function addTouchVerb(program: Command): void {
  verb(
    program,
    'touch',
    'say that somebody is here: hygiene stays away for 15 minutes',
    async (json, { by, session }: { by?: string; session?: string }) => {
      const answer = await withClient(
        (client, taskQueue) =>
          touch(
            client,
            { ...(by !== undefined && { by }), ...(session !== undefined && { session_id: session }) },
            taskQueue,
          ),
        // It says so itself.
        { isActivity: false },
      );
      if (json) return printJson(answer);
      print(`Hygiene stays away until ${answer.cron_pause_until}.`);
      if (session === undefined) return;
      print(
        answer.job
          ? `The live job of ${oneLine(session)} is ${oneLine(answer.job.job_id)}.`
          : `${oneLine(session)} has no live job.`,
      );
    },
  )
    .option('--by <who>', 'who is here')
    .option('--session <id>', 'name the live job of this session too');
}
