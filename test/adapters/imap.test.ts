import { failure } from '../helpers/failure';
import {
  bareServer,
  call,
  closeMailboxes,
  closing,
  emails,
  limits,
  mailbox,
  plainServer,
  stopServers,
} from './imap-setup';
import { truthOf } from './imap-world';

afterEach(closeMailboxes);
afterAll(stopServers);

describe('an email', () => {
  it('of a folder that was made anew is gone, and the one that has its number now is not touched', async () => {
    const { truth, plan } = await mailbox([], { folders: { Work: emails(2) } });
    const { run, items } = await plan('flag', { folder: 'Work' });
    expect(items).toHaveLength(2);
    await truth.client.mailboxDelete('Work');
    await truth.client.mailboxCreate('Work');
    for (const at of [1, 2])
      await truth.client.append('Work', `Subject: Other ${at}\r\nMessage-ID: <o${at}>\r\n\r\nHi`);
    expect(await run()).toMatchObject([
      { success: false, error: 'Email not found', retryable: false },
      { success: false, error: 'Email not found', retryable: false },
    ]);
    expect((await truth.all(['Work'])).map(([, , flags]) => flags)).toEqual([[], []]);
  });

  it.each([
    ['its twin with the same Message-ID', { id: 'same', subject: 'Same', date: 1_767_600_000_000 }],
    ['its twin without any', { subject: 'Same', date: 1_767_600_000_000 }],
  ])('is moved and moved back, and %s is not', async (_, twin) => {
    const { truth, plan } = await mailbox([twin, twin], { folders: { Done: [twin] } });
    const { run, items, undo } = await plan('move', { subject: 'Same', target_folder: 'Done' });
    const results = await run(items.slice(0, 1));
    expect(results).toMatchObject([{ success: true }]);
    const places = async () => (await truth.all(['INBOX', 'Done'])).map(([folder]) => folder);
    expect(await places()).toEqual(['Done', 'Done', 'INBOX']);
    expect((await undo([...results, {}]))[0]).toMatchObject({ success: true });
    expect(await places()).toEqual(['Done', 'INBOX', 'INBOX']);
  });

  it('that somebody moved during the operation fails by name, and to the same folder is theirs', async () => {
    const { truth, plan } = await mailbox(emails(3), { folders: { Done: [], Else: [] } });
    const { run, items, undo } = await plan('move', { folder: 'INBOX', target_folder: 'Done' });
    await truth.client.mailboxOpen('INBOX');
    await truth.client.messageMove([1], 'Else', { uid: true });
    await truth.client.messageMove([2], 'Done', { uid: true });
    expect(await run()).toMatchObject([
      { success: false, error: 'Email not found', retryable: false },
      { success: false, changed_since_preview: true, error: 'Changed since the preview: it is so by now' },
      { success: true },
    ]);
    // Nobody finds the first one where it was or was to be.
    expect((await undo())[0]).toMatchObject({ success: false, error: 'Email not found' });
    expect(items).toHaveLength(3);
  });

  it('is not removed from the folder that it is itself in, as if it were a copy', async () => {
    const { truth, tap, plan } = await mailbox([], { folders: { Receipts: emails(1) } });
    const id = `Receipts/${(await truth.client.mailboxOpen('Receipts')).uidValidity}/1`;
    const named = [{ id, display_name: id }];
    const { run, items, previews } = await plan('unlabel', { target_folder: 'Receipts' }, named);
    const error = expect.stringContaining('removing it would delete it') as string;
    expect(previews).toMatchObject([{ expected_error: error }]);
    // Not by a plan that does not know it either.
    const unaware = { ...items[0]!, raw_data: { state: { has: true }, to: { has: false } } };
    for (const some of [items, [unaware]]) expect(await run(some)).toMatchObject([{ success: false, error }]);
    expect(tap.commands.filter((command) => /^UID (STORE|EXPUNGE)/.test(command))).toEqual([]);
    expect(await truth.all(['Receipts'])).toEqual([['Receipts', '<email-0>', []]]);
  });

  it('that somebody flagged since the question is not deleted for good', async () => {
    const { truth, plan } = await mailbox(emails(2));
    const { run } = await plan('delete', { folder: 'INBOX' });
    await truth.client.mailboxOpen('INBOX');
    await truth.client.messageFlagsAdd([1], ['\\Flagged', '\\Seen'], { uid: true });
    await truth.client.messageFlagsAdd([2], ['\\Seen'], { uid: true });
    expect(await run()).toMatchObject([
      {
        success: false,
        changed_since_preview: true,
        error: expect.stringMatching(/marks was none, is now “.*Flagged/) as string,
      },
      { success: true },
    ]);
    expect(await truth.all(['INBOX'])).toHaveLength(1);
  });

  it('that somebody changes between our read and our write is not changed', async () => {
    const { truth, tap, plan } = await mailbox(emails(1));
    const { run } = await plan('delete', { folder: 'INBOX' });
    await truth.client.mailboxOpen('INBOX');
    tap.before = async (command) => {
      if (!command.startsWith('UID STORE')) return;
      tap.before = undefined;
      await truth.client.messageFlagsAdd([1], ['\\Answered'], { uid: true });
    };
    expect(await run()).toMatchObject([{ success: false, changed_since_preview: true }]);
    expect(tap.commands.some((command) => /UNCHANGEDSINCE \d+/.test(command))).toBe(true);
    expect(await truth.all(['INBOX'])).toHaveLength(1);
  });
});

describe('a server', () => {
  it('without MOVE gets a copy and a removal, which leaves what others marked as deleted', async () => {
    const { truth, tap, plan } = await mailbox(
      [...emails(2), { id: 'theirs', subject: 'Theirs', flags: 'T' }],
      { server: await plainServer(), folders: { 'Work/Done': [] } },
    );
    const { run, items, previews } = await plan('move', { folder: 'INBOX', target_folder: 'work/done' });
    expect(previews[0]).toMatchObject({ before: { folder: 'INBOX' }, after: { folder: 'Work.Done' } });
    expect(items).toHaveLength(2);
    expect(await run()).toMatchObject([{ success: true }, { success: true }]);
    expect((await truth.all(['Work.Done'])).map(([, id]) => id)).toEqual(['<email-0>', '<email-1>']);
    await truth.client.mailboxOpen('INBOX');
    expect(await truth.client.search({ deleted: true }, { uid: true })).toHaveLength(1);
    expect(tap.commands.filter((command) => /^(UID MOVE|EXPUNGE)/.test(command))).toEqual([]);
  });

  it('without MOVE that is lost after the copy has one copy after another try', async () => {
    const { truth, tap, adapter, plan } = await mailbox(emails(1), {
      server: await plainServer(),
      folders: { Done: [] },
    });
    const { run, items, context } = await plan('move', { folder: 'INBOX', target_folder: 'Done' });
    tap.before = (command) => Promise.resolve(command.startsWith('UID STORE'));
    expect(await run()).toMatchObject([{ success: false, outcome_unknown: true }]);
    tap.before = undefined;
    expect(await adapter.reconcile!(items[0]!, context, call())).toBe('not_applied');
    expect(await run()).toMatchObject([{ success: true }]);
    expect((await truth.all(['INBOX', 'Done'])).map(([folder]) => folder)).toEqual(['Done']);
  });

  it('without UIDPLUS is not asked to delete single emails', async () => {
    const { plan, truth } = await mailbox(emails(1), { server: await bareServer() });
    const { run, previews } = await plan('delete', { folder: 'INBOX' });
    expect(previews).toMatchObject([{ expected_error: expect.stringContaining('UIDPLUS') as string }]);
    expect(await run()).toMatchObject([{ success: false, retryable: false }]);
    expect(await truth.all(['INBOX'])).toHaveLength(1);
  });

  it('that keeps no labels or changes in a folder is known before the question', async () => {
    const { plan, adapter } = await mailbox([], {
      server: await plainServer(),
      folders: { Seen: emails(1), Locked: emails(1) },
      acl: { Seen: 'owner lrs', Locked: 'owner lr' },
    });
    const expected = async (action: string, folder: string, more = {}) =>
      (await plan(action, { folder, ...more })).previews[0]?.expected_error;
    expect(await expected('mark_read', 'Seen')).toBeUndefined();
    expect(await expected('flag', 'Seen')).toBe('The server does not keep “\\Flagged” in this folder');
    expect(await expected('mark_read', 'Locked')).toBe('The folder is read-only');
    expect(await expected('trash', 'Locked')).toBe('The folder is read-only');
    const request = {
      action: 'label',
      params: { folder: 'Seen', label_name: 'Later' },
      explicit_items: false,
    };
    expect(await failure(adapter.prepare(request, limits()))).toMatchObject({
      code: 'INVALID_INPUT',
      message: "Label 'Later' not found, and the mail server makes no new ones in Seen",
    });
  });

  it('that refuses logins for a time stops the batch, and says until when', async () => {
    const server = await plainServer();
    const { plan, truth, tap, adapter } = await mailbox(emails(3), { server });
    const { run } = await plan('flag', { folder: 'INBOX' });
    adapter.close();
    const { user } = truth.client.options.auth as { user: string };
    const others = await Promise.all([1, 2].map(() => truthOf(server.port, user)));
    closing.push(() => Promise.resolve(others.forEach(({ client }) => client.close())));
    const refused = await failure(run());
    expect(refused).toMatchObject({
      code: 'RATE_LIMITED',
      hint: expect.stringMatching(/^It accepts nothing until /) as string,
    });
    expect(tap.commands.filter((command) => command.startsWith('UID STORE'))).toEqual([]);
  });

  it('that refuses the password is named, without the password', async () => {
    const { adapter } = await mailbox([], { pass: 'not-the-password' });
    const request = { action: 'flag', params: { folder: 'Work' }, explicit_items: false };
    const refused = await failure(adapter.prepare(request, limits()));
    expect(refused).toMatchObject({
      code: 'CREDENTIALS_INVALID',
      hint: expect.stringContaining('BATCHGATE_IMAP_PASSWORD') as string,
    });
    expect(JSON.stringify(refused)).not.toContain('not-the-password');
  });
});

describe('names', () => {
  it('of folders may be in any language, with any sign', async () => {
    const name = 'Entwürfe & Ablage/日本語 100% (alt)';
    const { truth, plan, adapter } = await mailbox(emails(1));
    await truth.client.mailboxCreate(name);
    const { run, undo, items } = await plan('move', { folder: 'inbox', target_folder: name.toUpperCase() });
    expect(await run()).toMatchObject([{ success: true }]);
    expect((await truth.all([name])).map(([folder]) => folder)).toEqual([name]);
    expect(await undo()).toMatchObject([{ success: true }]);
    expect(items[0]?.id).toMatch(/^INBOX\/\d+\/1$/);
    const back = await plan('move', { folder: 'INBOX', target_folder: name });
    await back.run();
    const { items: there, context: flagging } = await plan('flag', { folder: name });
    expect(there[0]?.id).toMatch(/^Entwürfe%20&%20Ablage%2F日本語%20100%25%20\(alt\)\/\d+\/\d+$/);
    const id = there[0]!.id.replace(/^[^/]+/, encodeURIComponent(name));
    const [named] = await adapter.freezeItems!([{ id, display_name: id }], flagging, limits());
    expect(named?.id).toBe(there[0]!.id);
  });

  it('of folders that contain only others are refused', async () => {
    const { adapter, truth } = await mailbox([], { server: await bareServer() });
    await truth.client.mailboxCreate('Parent/Child');
    const params = { folder: 'INBOX', target_folder: 'parent' };
    const refused = await failure(
      adapter.prepare({ action: 'move', params, explicit_items: false }, limits()),
    );
    expect(refused.message).toBe("Folder 'Parent' contains folders only, no emails");
  });

  it.each([
    ['move', { folder: 'INBOX', target_folder: 'inbox' }, "The emails of 'INBOX' are in 'INBOX' already"],
    ['label', { folder: 'INBOX', label_name: 'Read later' }, /no label 'Read later'.*no spaces/],
    ['label', { folder: 'INBOX', label_name: '\\Deleted' }, /no label '\\Deleted'/],
    ['label', { folder: 'INBOX', label_name: 'a', target_folder: 'b' }, /not both/],
    ['mark_read', { folder: 'INBOX', since: '2026-02-30' }, /since/],
    ['mark_read', {}, /Missing required parameters: folder, sender/],
  ])('that %s cannot use are refused: %j', async (action, params, message) => {
    const { adapter } = await mailbox([]);
    const refused = await failure(adapter.prepare({ action, params, explicit_items: false }, limits()));
    expect(refused).toMatchObject({
      code: 'INVALID_INPUT',
      message: expect.stringMatching(message) as string,
    });
  });
});

it('reads the emails of a large plan a hundred at a time', async () => {
  const { tap, plan } = await mailbox(emails(250));
  const { items, previews } = await plan('mark_read', { subject: 'Email' });
  expect(items).toHaveLength(250);
  expect(previews.filter(({ after }) => after?.['read'] === 'yes')).toHaveLength(250);
  expect(tap.commands.filter((command) => command.startsWith('UID FETCH'))).toHaveLength(3);
});
