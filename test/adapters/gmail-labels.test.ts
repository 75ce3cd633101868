import type { BulkItem } from '../../src/contract/items';
import { apiError } from './fault-proxy';
import {
  ask,
  execute,
  failure,
  fresh,
  gmail,
  isWrite,
  labelsOf,
  planned,
  prepare,
  proxy,
  reading,
  succeeded,
  undoing,
  useMailbox,
  within,
} from './gmail-setup';

useMailbox();

const ids = async () => new Set((await ask('labels')).labels?.map(({ id }) => id));
const made = () => proxy.calls.filter((call) => call === 'POST labels').length;
const createLabel = async (name: string) => (await ask('labels', 'POST', { name })).id!;
const previewOf = (item: BulkItem, context: Parameters<typeof execute>[0]['context']) =>
  gmail().previewItem!(item, context);

describe('the name of a label', () => {
  test('that does not exist is refused with similar names, and how to create it', async () => {
    const error = await failure(prepare('label', { label_name: 'Newsleter' }, true));
    expect(error.body).toMatchObject({ code: 'INVALID_INPUT', message: "Label 'Newsleter' not found" });
    expect(error.hint).toMatch(/nearest labels: Newsletters.*"create_label": true/);
    for (const [action, name] of [
      ['unlabel', 'Zzz'],
      ['label', 'a//b'],
    ] as const)
      expect((await failure(prepare(action, { label_name: name }, true))).hint).not.toMatch(/create_label/);
  });

  test.each([
    ['Inbox/Later', /there are no labels below INBOX/, /'Later'/],
    ['a//b', /between its slashes is empty/, /Work\/Reports/],
    ['/a', /between its slashes is empty/, /Work\/Reports/],
    ['a/', /between its slashes is empty/, /Work\/Reports/],
    ['a/ /b', /between its slashes is empty/, /Work\/Reports/],
    ['work-reports', /for that of the label 'Work\/Reports'/, /Use the label 'Work\/Reports'/],
    ['Drafts', /keeps this name for itself/, /another name/],
    ['two\nlines', /control character/, /another name/],
    ['x'.repeat(226), /label_name/, /label_name/],
  ])(
    '%j, which Gmail would not create, is refused before the question',
    async (label_name, message, hint) => {
      const error = await failure(prepare('label', { label_name, create_label: true }, true));
      expect(error.code).toBe('INVALID_INPUT');
      expect(error.message).toMatch(message);
      expect(error.hint).toMatch(hint);
      expect(made()).toBe(0);
    },
  );

  test.each(['SENT', 'draft', 'Chat'])('%s, which Gmail sets itself, is refused', async (label_name) => {
    for (const action of ['label', 'unlabel']) {
      const error = await failure(prepare(action, { label_name }, true));
      expect(error.code).toBe('INVALID_INPUT');
      expect(error.message).toContain(`Gmail sets the label '${label_name.toUpperCase()}' itself`);
      expect(error.hint).toContain('INBOX');
    }
    expect(proxy.calls).toEqual([]);
  });
});

describe('a label that does not exist yet', () => {
  const params = (label_name: string) => ({ label_name, create_label: true });

  test('is created by the first batch that adds it, once, and found by the next one', async () => {
    const before = await ids();
    const change = await planned('label', params('Made by the batch'), fresh(12));
    expect(change.context.action_params).toEqual({ label: { name: 'Made by the batch' }, create: true });
    expect(gmail().describeChange?.(change.context).summary).toBe(
      'Add the label “Made by the batch” (it will be created) to each email.',
    );
    expect(await ids()).toEqual(before);
    const [first, second] = [change.items.slice(0, 6), change.items.slice(6)];
    expect(await execute({ ...change, items: first })).toEqual(succeeded(first));
    expect(await execute({ ...change, items: second })).toEqual(succeeded(second));
    expect(made()).toBe(1);
    const undo = await undoing(change);
    expect(await execute(undo)).toEqual(succeeded(undo.items));
    for (const { id } of change.items)
      expect((await labelsOf(id)).filter((one) => !before.has(one))).toEqual([]);
  });

  test('is the one that somebody else created meanwhile, also if Gmail says so late', async () => {
    const change = await planned('label', params('Made by both'), fresh(2));
    let created: string | undefined;
    proxy.rule = async (request, forward) => {
      if (request.method === 'POST' && request.path.endsWith('/labels'))
        created = await createLabel('Made by both');
      return forward();
    };
    expect(await execute(change)).toEqual(succeeded(change.items));
    for (const { id } of change.items) expect(await labelsOf(id)).toContain(created);
  });

  test('and cannot be created ends the batch, and no email is changed', async () => {
    const change = await planned('label', params('Never made'), fresh(2));
    const onMake = (answer: ReturnType<typeof apiError> | 'reset') => {
      proxy.reset();
      proxy.rule = ({ method, path }, forward) =>
        method === 'POST' && path.endsWith('/labels') ? answer : forward();
    };
    onMake(apiError(400, 'invalidArgument', 'Invalid label name'));
    const error = await failure(execute(change));
    expect(error.code).toBe('INVALID_INPUT');
    expect(error.message).toMatch(/“Never made” was not created: .*Invalid label name/);
    expect(made()).toBe(1);
    onMake('reset');
    for (const result of await execute(change))
      expect(result).toMatchObject({
        success: false,
        retryable: true,
        error: expect.stringContaining('was not created'),
      });
    expect(proxy.calls.filter((call) => isWrite(call))).toEqual([]);
  });
});

describe('a label that changes after it was confirmed', () => {
  async function labelling(name: string, params: object = {}) {
    const id = await createLabel(name);
    const change = await planned('label', { label_name: name, ...params }, fresh(2));
    return { id, change };
  }

  test('by its name ends the batch, and an undo of it too', async () => {
    const { id, change } = await labelling('Later');
    const [done] = change.items;
    expect(await execute({ ...change, items: [done!] })).toEqual(succeeded([done!]));
    await ask(`labels/${id}`, 'PATCH', { name: 'Never' });
    for (const batch of [change, await undoing({ ...change, items: [done!] })]) {
      const error = await failure(execute({ ...batch, items: batch.items.slice(-1) }));
      expect(error.body).toEqual({
        code: 'CHANGED_SINCE_PREVIEW',
        message: 'The label “Later” is now called “Never”. No further email was changed.',
        hint: 'Give it back its name in Gmail and confirm again, or cancel and start again.',
      });
    }
    expect(await labelsOf(done!.id)).toContain(id);
    expect(await labelsOf(change.items[1]!.id)).not.toContain(id);
  });

  test('by being deleted ends the batch, and it is not created again', async () => {
    const { id, change } = await labelling('Soon');
    await ask(`labels/${id}`, 'DELETE');
    const error = await failure(execute(change));
    expect(error).toMatchObject({
      code: 'CHANGED_SINCE_PREVIEW',
      message: 'The label “Soon” no longer exists. No further email was changed.',
    });
    expect(made()).toBe(0);
    expect(await gmail().reconcile!(change.items[0]!, change.context, within())).toBe('not_applied');
  });

  test('by being deleted is created again where the operation may create it', async () => {
    const { id, change } = await labelling('Often', { create_label: true });
    await ask(`labels/${id}`, 'DELETE');
    expect(await execute(change)).toEqual(succeeded(change.items));
    expect(made()).toBe(1);
  });

  test('by being deleted leaves nothing to undo', async () => {
    const { id, change } = await labelling('Once');
    expect(await execute(change)).toEqual(succeeded(change.items));
    await ask(`labels/${id}`, 'DELETE');
    const { items, context } = await undoing(change);
    expect(previewOf(items[0]!, context)).toMatchObject({ already: true });
    expect(await execute({ items, context })).toEqual(succeeded(items));
  });
});

describe("Gmail's own labels", () => {
  test.each([
    ['label', 'Trash', 'Move each email to the trash.', 'in the trash', /empties the trash/],
    ['label', 'spam', 'Move each email to spam.', 'in spam', /empties spam/],
    ['label', 'UNREAD', 'Mark each email as unread.', 'unread', undefined],
    ['label', 'starred', 'Star each email.', 'starred', undefined],
    ['unlabel', 'INBOX', 'Take each email out of the inbox.', 'in the inbox', undefined],
    ['unlabel', 'unread', 'Mark each email as read.', 'unread', undefined],
  ])('%s %s is worded as what it is', async (action, label_name, summary, field, until) => {
    const { items, context } = await planned(action, { label_name }, fresh(1));
    const change = gmail().describeChange!(context);
    expect(change).toMatchObject({ summary, reversible: 'yes' });
    if (until) expect(change.until).toMatch(until);
    else expect(change.until).toBeUndefined();
    expect(Object.keys(previewOf(items[0]!, context).before ?? {})).toEqual([field]);
  });

  test.each([
    ['trash', {}, 'TRASH'],
    ['label', { label_name: 'trash' }, 'TRASH'],
    ['label', { label_name: 'Spam' }, 'SPAM'],
  ])(
    '%s %j puts an email back into the inbox, which Gmail takes it out of',
    async (action, params, place) => {
      const change = await planned(action, params, fresh(2));
      const before = await Promise.all(change.items.map(({ id }) => labelsOf(id)));
      expect(await execute(change)).toEqual(succeeded(change.items));
      for (const { id } of change.items) {
        expect(await labelsOf(id)).toContain(place);
        // As Gmail does, and the local mailbox does not.
        await ask(`messages/${id}/modify`, 'POST', { removeLabelIds: ['INBOX'] });
      }
      const undo = await undoing(change);
      for (const item of undo.items) expect(previewOf(item, undo.context)).not.toHaveProperty('conflict');
      expect(await execute(undo)).toEqual(succeeded(undo.items));
      for (const [at, { id }] of change.items.entries())
        expect((await labelsOf(id)).sort()).toEqual([...before[at]!].sort());
    },
  );
});

describe('conversations', () => {
  const ANA = 'ana.duarte@work.example';
  /** Three emails in a row are a conversation there. */
  const plan = async (params: object) => {
    const context = await prepare('archive', { ...params });
    const count = await gmail().getTotalCount(context, within());
    const items = await gmail().getNextBatch(context, count + 1, 0, reading());
    return { context, items, scope: gmail().describeItems?.(items, context) };
  };

  test('that keep other emails in the inbox are counted before the question', async () => {
    expect((await plan({ query: `from:${ANA}` })).scope).toBeUndefined();
    const unread = await plan({ query: `from:${ANA} is:unread` });
    expect(unread.items).toHaveLength(8);
    expect(unread.scope).toBe('8 conversations keep other mails in the inbox');
    const { context } = unread;
    const one = await gmail().freezeItems!(unread.items.slice(0, 1), context, reading());
    expect(gmail().describeItems?.(one, context)).toBe('1 conversation keeps other mails in the inbox');
    expect(gmail().describeItems?.(one, { ...context, undo: true })).toBeUndefined();
    const starring = await planned('star', {}, one);
    expect(gmail().describeItems?.(starring.items, starring.context)).toBeUndefined();
  });

  test('can be archived whole', async () => {
    const parts = await plan({ query: `from:${ANA} is:unread` });
    const whole = await plan({ query: `from:${ANA} is:unread`, whole_conversations: true });
    expect(whole.scope).toBeUndefined();
    expect(gmail().describeChange!(whole.context).summary).toBe(
      `Take mail that matches “from:${ANA} is:unread” and the rest of its conversations out of the inbox.`,
    );
    const threads = async (of: BulkItem[]) =>
      new Set(await Promise.all(of.map(async ({ id }) => (await ask(`messages/${id}`)).threadId)));
    expect(whole.items.length).toBeGreaterThan(parts.items.length);
    expect(await threads(whole.items)).toEqual(await threads(parts.items));
    expect(new Set(whole.items.map(({ id }) => id)).size).toBe(whole.items.length);
  });
});
