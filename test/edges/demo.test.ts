import { sharedBackend } from '../helpers/backend';
import { asked, ready, useDemoStage } from '../helpers/demo-stage';
import { seedStore } from '../helpers/embedded';
import { installed } from '../helpers/debian-package';
import { itInLongRun } from '../helpers/long-run';
import { withPythonPackage } from '../helpers/python-package';
import { RADICALE } from '../helpers/radicale';

/** `npm start` on a pipe. test/long/demo.test.ts runs it with a server and a store of its own. */
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

itInLongRun('shows itself on a mail server of its own, each time a new one', async () => {
  installed('/usr/sbin/dovecot', 'dovecot-imapd');
  await seedStore(stage.dataDir);
  for (let starts = 0; starts < 2; starts += 1) {
    const demo = stage.demo('--domain', 'imap');
    await demo.says(
      "Ready to label 24 emails in batches of 10. Say 'continue' to start, or 'cancel' to abort.",
    );
    demo.write('continue');
    await demo.says('Processed 10 items (10/24 total).');
    demo.endInput();
    expect((await demo.ended).code).toBe(0);
  }
});

itInLongRun('names what to install where the server of its own is missing, and starts nothing', async () => {
  stage.env = { PYTHONPATH: '', PYTHONNOUSERSITE: '1' };
  const { code, stderr } = await stage.demo('--domain', 'caldav').ended;
  expect([code, stderr]).toEqual([1, expect.stringContaining('Radicale, which is not installed')]);
  expect(stderr).toContain('pip install radicale==3.9.0');
});

itInLongRun('shows itself on a calendar server of its own', async () => {
  stage.env = { PYTHONPATH: (await withPythonPackage(...RADICALE))['PYTHONPATH'] ?? '' };
  await seedStore(stage.dataDir);
  const demo = stage.demo('--domain', 'caldav');
  await demo.says(
    "Ready to shift 24 events in batches of 10. Say 'continue' to start, or 'cancel' to abort.",
  );
  demo.write('stop');
  demo.endInput();
  expect((await demo.ended).code).toBe(0);
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
