import { type BulkItem, type BulkResult, bulkResultSchema } from '../../src/contract/items';
import { apiError, type Rule } from './fault-proxy';
import {
  failure,
  fresh,
  gmail,
  idsOf,
  item,
  labelsOf,
  prepared,
  proxy,
  TOKEN,
  useMailbox,
  within,
} from './gmail-setup';

useMailbox();

const execute = (items: BulkItem[], context: Awaited<ReturnType<typeof prepared>>, limits = within()) =>
  gmail().executeBatch(items, context, limits);
const succeeded = (items: BulkItem[]): BulkResult[] =>
  items.map(({ id }) => ({ item_id: id, success: true }));
const isWrite = (path: string) => /\/(batchModify|modify)$/.test(path);
/** Every write gets this answer; every other request is forwarded. */
const onWrite =
  (answer: ReturnType<Rule>): Rule =>
  (request, forward) =>
    isWrite(request.path) ? answer : forward();

/** Gmail gets the request, and its answer is lost. */
const lose: Rule = async (_request, forward) => {
  await forward();
  return 'reset' as const;
};

describe('a change', () => {
  test('labels 20 emails in three requests, and each of them has the label', async () => {
    const items = fresh(20);
    const context = await prepared('label', { label_name: 'Newsletters' });
    expect(await execute(items, context)).toEqual(succeeded(items));
    expect(proxy.calls).toEqual(['GET profile', 'POST batchModify', 'GET history']);
    expect(new Set(await idsOf('labelIds=Label_1'))).toEqual(new Set(items.map(({ id }) => id)));
  });

  test('leaves an email that the plan did not find, even if it exists by then', async () => {
    const [first, second] = fresh(2) as [BulkItem, BulkItem];
    const context = await prepared('star');
    const items = [{ ...first, raw_data: { missing: true } }, second];
    expect(await execute(items, context)).toMatchObject([
      { changed_since_preview: true, error: 'Changed since the preview: it was not found before' },
      { success: true },
    ]);
    expect(await labelsOf(first.id)).not.toContain('STARRED');
  });

  test.each([
    ['star', {}, (labels: string[]) => labels.includes('STARRED'), 3],
    ['mark_unread', {}, (labels: string[]) => labels.includes('UNREAD'), 4],
    ['mark_read', {}, (labels: string[]) => !labels.includes('UNREAD'), 5],
    ['archive', {}, (labels: string[]) => !labels.includes('INBOX'), 3],
    ['label', { label_name: 'Receipts' }, (labels: string[]) => labels.includes('Label_2'), 3],
    ['trash', {}, (labels: string[]) => labels.includes('TRASH'), 3],
  ])(
    '%s is executed and read back, in as few requests as necessary',
    async (action, params, holds, requests) => {
      const items = fresh(3);
      const context = await prepared(action, params);
      expect(await execute(items, context)).toEqual(succeeded(items));
      expect(proxy.requests).toHaveLength(requests);
      for (const { id } of items) expect(holds(await labelsOf(id))).toBe(true);
      expect(gmail().describeChange?.(context).summary).toMatch(/^[A-Z].*\.$/);
    },
  );

  test('unlabel removes the label that label added', async () => {
    const items = fresh(6);
    await execute(items, await prepared('label', { label_name: 'Travel' }));
    expect(await execute(items, await prepared('unlabel', { label_name: 'travel' }))).toEqual(
      succeeded(items),
    );
    expect(proxy.calls).toEqual(['GET profile', 'POST batchModify', 'GET history']);
    for (const { id } of items) expect(await labelsOf(id)).not.toContain('Label_3');
  });

  test('reads each email if the mailbox does not show its history', async () => {
    const items = fresh(3);
    const context = await prepared('star');
    for (const broken of ['profile', 'history']) {
      proxy.reset();
      proxy.rule = ({ path }, forward) => (path.endsWith(broken) ? apiError(404, 'notFound') : forward());
      expect(await execute(items, context)).toEqual(succeeded(items));
      expect(proxy.calls.filter((one) => items.some(({ id }) => one === `GET ${id}`))).toHaveLength(3);
    }
  });

  test('does not trust a batch that succeeds with an id that does not exist', async () => {
    const [one, two] = fresh(2);
    const results = await execute([one!, item('19affffffffffffff'), two!], await prepared('star'));
    expect(results).toEqual([
      { item_id: one!.id, success: true },
      { item_id: '19affffffffffffff', success: false, error: 'Email not found', retryable: false },
      { item_id: two!.id, success: true },
    ]);
    expect(proxy.calls).toEqual(['GET profile', 'POST batchModify', 'GET history', 'GET 19affffffffffffff']);
  });

  test('does not trust a batch that changed nothing', async () => {
    const items = fresh(2);
    const context = await prepared('star');
    proxy.rule = onWrite({ status: 204, body: '' });
    const results = await execute(items, context);
    expect(results.map(({ success, retryable }) => ({ success, retryable }))).toEqual([
      { success: false, retryable: true },
      { success: false, retryable: true },
    ]);
  });

  test('sends nothing for no items', async () => {
    expect(await execute([], await prepared('star'))).toEqual([]);
    expect(proxy.calls).toEqual([]);
  });
});

describe('a label that does not exist yet', () => {
  test('is created by the first batch, once, and found by the next one', async () => {
    const made = () => proxy.calls.filter((one) => one === 'POST labels').length;
    const context = await prepared('label', { label_name: 'Made by the batch', create_label: true });
    expect(await execute([], context)).toEqual([]);
    expect(made()).toBe(0);
    const items = fresh(2);
    for (const one of items) expect(await execute([one], context)).toEqual(succeeded([one]));
    expect(made()).toBe(1);
  });
});

describe('a refusal of the batch', () => {
  test.each([
    [429, 'rateLimitExceeded', true],
    [403, 'rateLimitExceeded', true],
    [403, 'userRateLimitExceeded', true],
    [500, 'backendError', true],
    [503, 'backendError', true],
    [403, 'forbidden', false],
    [405, 'methodNotAllowed', false],
  ])(
    'with %s %s is an error of each item, retryable: %s, after one request',
    async (status, reason, retryable) => {
      const items = fresh(2);
      const context = await prepared('star');
      proxy.rule = onWrite(apiError(status, reason));
      const results = await execute(items, context);
      expect(results.map(({ item_id }) => item_id)).toEqual(items.map(({ id }) => id));
      for (const result of results) {
        expect(result).toMatchObject({ success: false, retryable });
        expect(result.error).toContain(`Gmail answered ${status}`);
        expect(result.outcome_unknown).toBeUndefined();
      }
      expect(proxy.calls).toEqual(['GET profile', 'POST batchModify']);
    },
  );

  test.each([502, 504])('by a gateway, with %s, leaves the outcome of each email unknown', async (status) => {
    const items = fresh(2);
    const context = await prepared('star');
    proxy.rule = onWrite({ status, body: '<html>' });
    const error = `Gmail answered ${status}, so the outcome is unknown`;
    expect(await execute(items, context)).toEqual(
      items.map(({ id }) => ({ item_id: id, success: false, error, outcome_unknown: true })),
    );
    expect(proxy.calls).toEqual(['GET profile', 'POST batchModify']);
  });

  test.each([400, 404])(
    'with %s changes the emails one by one, so that one bad id fails alone',
    async (status) => {
      const items = fresh(6);
      const context = await prepared('star');
      proxy.rule = (request, forward) => {
        if (request.path.endsWith('/batchModify'))
          return apiError(status, 'invalidArgument', 'Invalid ids value');
        if (request.path.includes(items[2]!.id)) return apiError(400, 'invalidArgument', 'Invalid id value');
        return forward();
      };
      const results = await execute([...items, item('19affffffffffffff')], context);
      expect(results.filter(({ success }) => success)).toHaveLength(5);
      expect(results[2]).toMatchObject({
        success: false,
        retryable: false,
        error: expect.stringContaining('Invalid id value'),
      });
      expect(results[6]).toMatchObject({ success: false, retryable: false, error: 'Email not found' });
      expect(proxy.requests).toHaveLength(9);
      expect(proxy.most).toBeLessThanOrEqual(5);
      expect(await labelsOf(items[0]!.id)).toContain('STARRED');
      expect(await labelsOf(items[2]!.id)).not.toContain('STARRED');
    },
  );

  test('of single emails tells which were refused, lost, or cannot be read', async () => {
    const items = fresh(4);
    const [limited, lost, malformed, expired] = items.map(({ id }) => id);
    const context = await prepared('star');
    proxy.rule = async (request, forward) => {
      if (request.path.endsWith('/batchModify')) return apiError(400, 'invalidArgument');
      if (request.path.includes(limited!)) return apiError(429, 'rateLimitExceeded');
      if (request.path.includes(expired!)) return apiError(401, 'authError');
      const answer = await forward();
      if (request.path.includes(lost!)) return 'reset';
      return request.path === `/gmail/v1/users/me/messages/${malformed}/modify`
        ? { status: 200, body: '{}' }
        : answer;
    };
    const results = await execute(items, context);
    expect(results).toEqual([
      expect.objectContaining({ success: false, retryable: true }),
      expect.objectContaining({ success: false, outcome_unknown: true }),
      { item_id: malformed, success: true },
      expect.objectContaining({ success: false, retryable: true }),
    ]);
    expect(results.every((result) => bulkResultSchema.safeParse(result).success)).toBe(true);
  });
});

describe('an answer that never comes', () => {
  test('leaves the outcome of each item unknown, although Gmail did it', async () => {
    const items = fresh(2);
    const context = await prepared('star');
    proxy.rule = lose;
    const results = await execute(items, context);
    for (const result of results) {
      expect(result).toMatchObject({ success: false, outcome_unknown: true });
      expect(result.retryable).toBeUndefined();
    }
    expect(proxy.calls).toEqual(['GET profile', 'POST batchModify']);
    proxy.reset();
    expect(await gmail().reconcile?.(items[0]!, context, within())).toBe('applied');
  });

  test('is given up at the deadline', async () => {
    const items = fresh(1);
    const context = await prepared('star');
    proxy.rule = onWrite('silence');
    expect(await execute(items, context, within(1_000))).toMatchObject([
      { success: false, outcome_unknown: true },
    ]);
  });

  test('is given up when the call is aborted', async () => {
    const items = fresh(1);
    const context = await prepared('star');
    const controller = new AbortController();
    proxy.rule = (request, forward) => {
      if (!isWrite(request.path)) return forward();
      controller.abort();
      return 'silence';
    };
    const results = await execute(items, context, within(30_000, controller.signal));
    expect(results).toMatchObject([{ success: false, outcome_unknown: true }]);
  });

  test('of the read afterwards leaves the outcome unknown too', async () => {
    const items = fresh(3);
    const context = await prepared('star');
    proxy.rule = async (request, forward) => {
      if (isWrite(request.path)) return forward();
      return request.path.endsWith(items[0]!.id) ? { status: 200, body: '{"labelIds":7}' } : 'reset';
    };
    const results = await execute(items, context);
    expect(results).toMatchObject(
      items.map(({ id }) => ({ item_id: id, success: false, outcome_unknown: true })),
    );
  });
});

describe('the limits of a call', () => {
  const late = () => within(-1);

  test('prevent a late request from being sent', async () => {
    const items = fresh(1);
    const context = await prepared('star');
    expect(await execute(items, context, late())).toMatchObject([{ success: false, retryable: true }]);
    const aborted = within(30_000, AbortSignal.abort());
    expect(await execute(items, context, aborted)).toMatchObject([{ success: false, retryable: true }]);
    const counting = gmail().getTotalCount({ ...context, query_params: { query: 'x' } }, late());
    expect((await failure(counting)).code).toBe('ADAPTER_UNAVAILABLE');
    const looking = gmail().reconcile!(items[0]!, context, late());
    expect((await failure(looking)).code).toBe('ADAPTER_UNAVAILABLE');
    expect(proxy.calls).toEqual([]);
  });

  test('are checked again when the access token arrives', async () => {
    const items = fresh(1);
    const context = await prepared('star');
    const limits = within(20);
    const slow = gmail(() => {
      while (Date.now() < limits.deadline);
      return Promise.resolve(TOKEN);
    });
    expect(await slow.executeBatch(items, context, limits)).toMatchObject([
      { success: false, retryable: true },
    ]);
    const stuck = gmail(() => new Promise(() => undefined));
    expect(await stuck.executeBatch(items, context, within(20))).toMatchObject([{ retryable: true }]);
    expect(proxy.calls).toEqual([]);
  });
});
