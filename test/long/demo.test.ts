import { asked, ready, useDemoStage } from '../helpers/demo-stage';
import { MailboxReader } from '../helpers/mailbox-reader';

/** `npm start` with everything of its own: server, store, mailbox. It is interrupted, and continued. */
const stage = useDemoStage();
const labelled = async () => (await MailboxReader.of(stage.dataDir)).withLabel('Newsletters');

it('labels the 50 emails of one sender, ten per confirmation, across Ctrl-C, kill -9 and the end of input, and undoes it', async () => {
  const first = stage.demo();
  await first.says(ready);
  expect(first.output).toContain('the local mailbox');
  const before = await (await MailboxReader.of(stage.dataDir)).state();
  first.write('what is the weather like?');
  await first.says('not about the operation');
  first.write('maybe');
  await first.says('Did you mean to continue the bulk operation?');
  expect(await labelled()).toHaveLength(0);
  first.write('continue');
  await first.says(asked(10));
  const ten = await labelled();
  expect(ten).toHaveLength(10);
  const interrupted = await first.interrupt();
  expect(interrupted.code).toBe(0);
  expect(interrupted.stderr).toContain('Still waiting for a person');

  const second = stage.demo();
  await second.says(asked(10));
  second.write('yes please');
  await second.says(asked(20));
  second.kill();
  await second.ended;

  const third = stage.demo();
  await third.says(asked(20));
  third.endInput();
  expect(await third.ended).toMatchObject({ code: 0 });
  expect((await third.ended).stderr).toContain('npm start');

  const fourth = stage.demo();
  await fourth.says(asked(20));
  // Written at once: after an operation ends, the demo reads only the lines that have already arrived.
  ['go ahead', 'next', 'continue', 'undo'].forEach((line) => fourth.write(line));
  await fourth.says('✅ Completed! Processed 50/50 items.');
  await fourth.says('Ready to undo “label” on 50 emails in batches of 10.');
  const all = await labelled();
  expect(all).toHaveLength(50);
  expect(all).toEqual(expect.arrayContaining(ten));
  Array.from({ length: 5 }, () => fourth.write('continue'));
  const undone = await fourth.ended;
  expect(undone.code).toBe(0);
  expect(undone.stdout.match(/^Undo: Add the label/gm)).toHaveLength(5);
  expect(undone.stderr).toContain("Say 'undo' to take it back.");
  expect(undone.stderr).toContain("Say 'undo' to make the change again.");

  const fifth = stage.demo();
  await fifth.says(ready);
  expect(await (await MailboxReader.of(stage.dataDir)).state()).toEqual({ ...before, Newsletters: [] });
  fifth.endInput();
  await fifth.ended;
});

it('passes messages about something else to the assistant if a model is configured', async () => {
  stage.env['BATCHGATE_MODEL_NAME'] = 'demo';
  const talking = stage.demo();
  await talking.says(ready);
  expect(talking.output).toContain('The assistant is ready');
  talking.write('what is the weather like?');
  await talking.says('I am the demo model');
  talking.write('please cancel the operation');
  await talking.says('Bulk label on gmail cancelled. 0/50 items were processed before cancellation.');
  talking.write('archive all emails from news@northwind-weekly.example');
  await talking.says('Ready to archive 50 emails in batches of 10.');
  expect(await labelled()).toHaveLength(0);
  talking.write('cancel');
  await talking.says('Bulk archive on gmail cancelled.');
  talking.endInput();
  expect((await talking.ended).code).toBe(0);
});
