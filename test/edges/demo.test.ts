import { sharedBackend } from '../helpers/backend';
import { asked, ready, useDemoStage } from '../helpers/demo-stage';
import { itInLongRun } from '../helpers/long-run';

/** `npm start` on a pipe. test/long/demo.test.ts runs it with a server of its own. */
const stage = useDemoStage();

it('prints one status per turn with --json, and its sentences separately', async () => {
  stage.env = await sharedBackend();
  const only = stage.demo('--json');
  await only.says(ready);
  ['maybe', 'continue', 'stop'].forEach((line) => only.write(line));
  const { code, stdout, stderr } = await only.ended;
  expect(code).toBe(0);
  const turns = stdout
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as { state: string; processed: number });
  expect(turns.map(({ state, processed }) => [state, processed])).toEqual([
    ['awaiting_confirmation', 0],
    ['awaiting_confirmation', 0],
    ['awaiting_confirmation', 10],
    ['cancelled', 10],
  ]);
  for (const sentence of [ready, 'Did you mean to continue the bulk operation?', asked(10)])
    expect(stderr).toContain(sentence);
});

itInLongRun('ends by itself on a pipe if its operation was cancelled', async () => {
  stage.env = await sharedBackend();
  const only = stage.demo();
  await only.says(ready);
  ['continue', 'stop'].forEach((line) => only.write(line));
  const { code, stdout } = await only.ended;
  expect(code).toBe(0);
  const lines = stdout.trim().split('\n');
  const items = lines.filter((line) => /^\d+\. .+ \(.+\)$/.test(line));
  expect(new Set(items).size).toBe(20);
  const change = 'Add the label “Newsletters” to mail from news@northwind-weekly.example. Can be undone.';
  const same = '10 items: label: none → “Newsletters”';
  expect(lines.filter((line) => !items.includes(line))).toEqual([
    'Batch 1 of 5, 10 items:',
    same,
    change,
    ready,
    'Batch 2 of 5, 10 items:',
    same,
    change,
    asked(10),
    'Bulk label on gmail cancelled. 10/50 items were processed before cancellation.',
  ]);
});
