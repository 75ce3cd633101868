import type { BulkItem } from '../../src/contract/items';
import { apiError, type Rule } from './fault-proxy';
import {
  ask,
  execute,
  failure,
  fresh,
  gmail,
  isWrite,
  item,
  labelsOf,
  onWrite,
  planned,
  prepared,
  proxy,
  succeeded,
  TOKEN,
  undoing,
  useMailbox,
  within,
} from './gmail-setup';

useMailbox();

const MISSING = '19affffffffffffff';
const reads = () => proxy.requests.filter(({ method }) => method === 'GET').length;
const written = () => proxy.requests.filter(({ path }) => isWrite(path)).length;

describe('a change', () => {
  test.each([
    ['star', {}, (labels: string[]) => labels.includes('STARRED')],
    ['mark_unread', {}, (labels: string[]) => labels.includes('UNREAD')],
    ['mark_read', {}, (labels: string[]) => !labels.includes('UNREAD')],
    ['archive', {}, (labels: string[]) => !labels.includes('INBOX')],
    ['label', { label_name: 'Receipts' }, (labels: string[]) => labels.includes('Label_2')],
    ['trash', {}, (labels: string[]) => labels.includes('TRASH')],
  ])(
    '%s reads and changes each email that is not so, and is restored by an undo',
    async (action, params, holds) => {
      const emails = fresh(3);
      const before = await Promise.all(emails.map(({ id }) => labelsOf(id)));
      const change = await planned(action, params, emails);
      expect(await execute(change)).toEqual(succeeded(emails));
      const changing = before.filter((labels) => !holds(labels)).length;
      expect(changing).toBeGreaterThan(0);
      expect(written()).toBe(changing);
      expect(proxy.most).toBeLessThanOrEqual(5);
      for (const { id } of emails) expect(holds(await labelsOf(id))).toBe(true);
      expect(await execute(await undoing(change))).toEqual(succeeded(emails));
      for (const [at, { id }] of emails.entries())
        expect((await labelsOf(id)).sort()).toEqual([...before[at]!].sort());
    },
  );

  test('takes two requests an email, and one more for the name of a label', async () => {
    const change = await planned('label', { label_name: 'Newsletters' }, fresh(5));
    expect(await execute(change)).toEqual(succeeded(change.items));
    expect([reads(), written()]).toEqual([5 + 1, 5]);
  });

  test('that somebody else has made meanwhile is not ours, and an undo leaves it', async () => {
    const change = await planned('star', {}, fresh(1));
    await ask(`messages/${change.items[0]!.id}/modify`, 'POST', { addLabelIds: ['STARRED'] });
    expect(await execute(change)).toMatchObject([
      { success: false, changed_since_preview: true, error: 'Changed since the preview: it is so by now' },
    ]);
    expect(written()).toBe(0);
  });

  test('leaves an email that the plan did not find, even if it exists by then', async () => {
    const change = await planned('star', {}, [item(MISSING), ...fresh(1)]);
    expect(gmail().previewItem!(change.items[0]!, change.context)).toEqual({
      expected_error: 'Email not found',
    });
    expect(await execute(change)).toEqual([
      { item_id: MISSING, success: false, error: 'Email not found', retryable: false },
      ...succeeded(change.items.slice(1)),
    ]);
    const [exists] = fresh(1) as [BulkItem];
    const gone = { ...exists, raw_data: { missing: 'Email not found' } };
    expect(await execute({ ...change, items: [gone] })).toMatchObject([
      { changed_since_preview: true, error: 'Changed since the preview: it could not be read before' },
    ]);
    expect(await labelsOf(exists.id)).not.toContain('STARRED');
  });

  test('does not believe an answer that does not show it', async () => {
    const change = await planned('star', {}, fresh(2));
    proxy.rule = onWrite({ status: 200, body: '{"id":"x"}' });
    expect(await execute(change)).toEqual(
      change.items.map(({ id }) => ({
        item_id: id,
        success: false,
        error: 'Gmail accepted the change, but the email is as it was',
        retryable: true,
      })),
    );
  });

  test('sends nothing for no items', async () => {
    expect(await gmail().executeBatch([], await prepared('star'), within())).toEqual([]);
    expect(proxy.calls).toEqual([]);
  });
});

describe('a refusal', () => {
  const DETAILS = {
    code: 403,
    message: 'Quota exceeded',
    status: 'RESOURCE_EXHAUSTED',
    details: [
      { '@type': 'type.googleapis.com/google.rpc.ErrorInfo', reason: 'RATE_LIMIT_EXCEEDED' },
      { '@type': 'type.googleapis.com/google.rpc.RetryInfo', retryDelay: '5400s' },
    ],
  };
  const soon = new Date(Date.now() + 5_400_000).toISOString();
  test.each([
    ['429 with a header', { ...apiError(429, 'rateLimitExceeded'), headers: { 'retry-after': '5400' } }],
    ['429 in words', apiError(429, 'rateLimitExceeded', `User-rate limit exceeded.  Retry after ${soon}`)],
    ['403 in words', apiError(403, 'userRateLimitExceeded', `Limit exceeded. Retry after ${soon}`)],
    ['403 in details alone', { status: 403, body: JSON.stringify({ error: DETAILS }) }],
  ])('of everything until a time (%s) stops the batch at the first email', async (_name, answer) => {
    const change = await planned('star', {}, fresh(6));
    proxy.rule = onWrite(answer);
    const error = await failure(execute(change));
    expect(error.code).toBe('RATE_LIMITED');
    const [until = ''] = /\d{4}-\d\d-\d\dT[\d:.]+Z/.exec(error.hint) ?? [];
    expect(Math.abs(Date.parse(until) - Date.parse(soon))).toBeLessThan(600_000);
    expect(written()).toBeLessThanOrEqual(5);
    for (const { id } of change.items) expect(await labelsOf(id)).not.toContain('STARRED');
  });

  test.each([
    [429, 'rateLimitExceeded'],
    [403, 'quotaExceeded'],
  ])('of everything without a time (%s %s) is over after a minute', async (status, reason) => {
    const change = await planned('star', {}, fresh(1));
    proxy.rule = onWrite(apiError(status, reason));
    const error = await failure(execute(change));
    expect(error).toMatchObject({ code: 'RATE_LIMITED', message: expect.stringContaining(`${status}`) });
    expect(error.hint).toMatch(/accepts nothing until \d{4}/);
  });

  test.each([
    [500, 'backendError', true],
    [503, 'backendError', true],
    [400, 'invalidArgument', false],
    [403, 'forbidden', false],
    [405, 'methodNotAllowed', false],
  ])(
    'with %s %s is an error of the email, retryable: %s, after one write',
    async (status, reason, retryable) => {
      const change = await planned('star', {}, fresh(2));
      const [refused, done] = change.items.map(({ id }) => id);
      proxy.rule = (request, forward) =>
        request.path.endsWith(`${refused}/modify`) ? apiError(status, reason) : forward();
      const results = await execute(change);
      expect(results).toEqual([
        { item_id: refused, success: false, retryable, error: `Gmail answered ${status}: ${reason}` },
        { item_id: done, success: true },
      ]);
      expect(written()).toBe(2);
    },
  );

  test.each([500, 503])('with %s after the change was made is read back', async (status) => {
    const change = await planned('star', {}, fresh(1));
    proxy.rule = async (request, forward) => {
      const answer = await forward();
      return isWrite(request.path) ? apiError(status, 'backendError') : answer;
    };
    expect(await execute(change)).toEqual(succeeded(change.items));
  });

  test.each([502, 504])('by a gateway, with %s, leaves the outcome unknown', async (status) => {
    const change = await planned('star', {}, fresh(1));
    proxy.rule = onWrite({ status, body: '<html>' });
    const error = `Gmail answered ${status}, so the outcome is unknown`;
    expect(await execute(change)).toEqual(
      change.items.map(({ id }) => ({ item_id: id, success: false, error, outcome_unknown: true })),
    );
  });
});

describe('an answer that never comes', () => {
  const lose: Rule = async (request, forward) => {
    const answer = await forward();
    return isWrite(request.path) ? 'reset' : answer;
  };

  test('leaves the outcome unknown, although Gmail did it', async () => {
    const change = await planned('star', {}, fresh(2));
    proxy.rule = lose;
    for (const result of await execute(change)) {
      expect(result).toMatchObject({ success: false, outcome_unknown: true });
      expect(result.retryable).toBeUndefined();
    }
    proxy.reset();
    expect(await gmail().reconcile?.(change.items[0]!, change.context, within())).toBe('applied');
  });

  test('is given up at the deadline, and when the call is aborted', async () => {
    const change = await planned('star', {}, fresh(1));
    const unknown = [{ success: false, outcome_unknown: true }];
    proxy.rule = onWrite('silence');
    expect(await execute(change, within(3_000))).toMatchObject(unknown);
    const controller = new AbortController();
    proxy.rule = (request, forward) => {
      if (!isWrite(request.path)) return forward();
      controller.abort();
      return 'silence';
    };
    expect(await execute(change, within(30_000, controller.signal))).toMatchObject(unknown);
  });
});

describe('the limits of a call', () => {
  const late = () => within(-1);

  test('prevent a late request from being sent', async () => {
    const change = await planned('star', {}, fresh(1));
    expect(await execute(change, late())).toMatchObject([{ success: false, retryable: true }]);
    const aborted = within(30_000, AbortSignal.abort());
    expect(await execute(change, aborted)).toMatchObject([{ success: false, retryable: true }]);
    const context = { ...change.context, query_params: { query: 'x' } };
    expect((await failure(gmail().getTotalCount(context, late()))).code).toBe('ADAPTER_UNAVAILABLE');
    const looking = gmail().reconcile!(change.items[0]!, change.context, late());
    expect((await failure(looking)).code).toBe('ADAPTER_UNAVAILABLE');
    expect(proxy.calls).toEqual([]);
  });

  test('are checked again when the access token arrives', async () => {
    const { items, context } = await planned('star', {}, fresh(1));
    const limits = within(20);
    const slow = gmail(() => {
      while (Date.now() < limits.deadline);
      return Promise.resolve(TOKEN);
    });
    const unsent = [{ success: false, retryable: true }];
    expect(await slow.executeBatch(items, context, limits)).toMatchObject(unsent);
    const stuck = gmail(() => new Promise(() => undefined));
    expect(await stuck.executeBatch(items, context, within(20))).toMatchObject(unsent);
    expect(proxy.calls).toEqual([]);
  });
});
