import {
  adapter,
  ARCHIVE,
  calendar,
  execute,
  failure,
  fresh,
  planned,
  prepare,
  proxy,
  reconcile,
  succeeded,
  TOKEN,
  useCalendar,
  within,
} from './calendar-setup';
import { apiError, type Rule } from './fault-proxy';

useCalendar();

const isWrite = ({ method }: { method: string }) => method !== 'GET';
/** Every write gets this answer; every other request is forwarded. */
const onWrite =
  (answer: ReturnType<Rule>): Rule =>
  (request, forward) =>
    isWrite(request) ? answer : forward();

describe('a refusal', () => {
  test.each([
    [500, 'backendError', true],
    [503, 'backendError', true],
    [400, 'failedPrecondition', false],
    [403, 'requiredAccessLevel', false],
    [409, 'duplicate', false],
  ])(
    'with %s %s is an error of the event, retryable: %s, after one write',
    async (status, reason, retryable) => {
      const ids = await fresh(1);
      const change = await planned('delete', {}, ids);
      proxy.rule = onWrite(apiError(status, reason));
      const [result] = await execute(change);
      expect(result).toMatchObject({ success: false, retryable });
      expect(result?.error).toContain(`Google Calendar answered ${status}`);
      expect(result?.outcome_unknown).toBeUndefined();
      expect(proxy.requests.filter(isWrite)).toHaveLength(1);
    },
  );

  test.each([
    [429, 'rateLimitExceeded'],
    [403, 'rateLimitExceeded'],
    [403, 'userRateLimitExceeded'],
    [403, 'quotaExceeded'],
  ])('of everything with %s %s stops the batch, and says until when', async (status, reason) => {
    const change = await planned('delete', {}, await fresh(1));
    proxy.rule = onWrite(apiError(status, reason));
    const error = await failure(execute(change));
    expect(error).toMatchObject({ code: 'RATE_LIMITED', message: expect.stringContaining(`${status}`) });
    expect(error.hint).toMatch(/accepts nothing until \d{4}/);
    expect(proxy.requests.filter(isWrite)).toHaveLength(1);
  });

  test.each([
    [401, 'authError'],
    [403, 'insufficientPermissions'],
    [403, 'accessNotConfigured'],
  ])(
    'of our credentials with %s %s ends the unchanged batch, and names the login',
    async (status, reason) => {
      const ids = await fresh(3);
      for (const [action, params] of [
        ['delete', {}],
        ['move', { target_calendar: 'Archive' }],
      ] as const) {
        const change = await planned(action, params, ids);
        proxy.rule = ({ authorization }) => apiError(status, reason, `not valid: ${authorization}`);
        const error = await failure(execute(change));
        expect(error.code).toBe('CREDENTIALS_INVALID');
        expect(error.hint).toContain('batchgate login google --for calendar');
        expect(JSON.stringify(error) + String(error.stack)).not.toContain(TOKEN);
        proxy.rule = undefined;
      }
      for (const id of ids) expect((await calendar.event(id)).status).toBe('confirmed');
    },
  );

  test('of our credentials after an event was changed is an error of the other events', async () => {
    const ids = await fresh(3);
    const change = await planned('delete', {}, ids);
    proxy.rule = (request, forward) =>
      request.path.endsWith(ids[0]!) ? forward() : apiError(401, 'authError');
    expect(await execute(change)).toMatchObject([
      { success: true },
      { success: false, retryable: true },
      { success: false, retryable: true },
    ]);
  });
});

describe('an answer that', () => {
  test.each([
    ['delete', {}],
    ['move', { target_calendar: 'Archive' }],
    ['patch', { patch: { colorId: '3' } }],
  ])('was lost leaves the outcome of %s unknown, and reading back finds it', async (action, params) => {
    const ids = await fresh(1);
    const change = await planned(action, params, ids);
    proxy.rule = async (request, forward) => {
      const answer = await forward();
      return isWrite(request) ? 'reset' : answer;
    };
    const [result] = await execute(change);
    expect(result).toMatchObject({ success: false, outcome_unknown: true });
    expect(result?.retryable).toBeUndefined();
    proxy.reset();
    expect(await reconcile(change)).toEqual(['applied']);
  });

  test.each([
    ['delete', {}, 502],
    ['patch', { patch: { colorId: '3' } }, 504],
    ['shift', { shift_minutes: 60 }, 502],
  ])(
    'is an error after which %s %j may have been done, %s, leaves the outcome unknown',
    async (action, params, status) => {
      const ids = await fresh(1);
      const change = await planned(action, params, ids);
      proxy.rule = async (request, forward) => {
        const answer = await forward();
        return isWrite(request) ? apiError(status, 'backendError') : answer;
      };
      const error = `Google Calendar answered ${status}, so the outcome is unknown`;
      expect(await execute(change)).toEqual([
        { item_id: ids[0], success: false, error, outcome_unknown: true },
      ]);
      proxy.reset();
      expect(await reconcile(change)).toEqual(['applied']);
    },
  );

  test.each([500, 503])('is an error %s after the change was made is read back', async (status) => {
    for (const [action, params] of [
      ['delete', {}],
      ['patch', { patch: { colorId: '3' } }],
      ['shift', { shift_minutes: 60 }],
      ['move', { target_calendar: 'Archive' }],
    ] as const) {
      const ids = await fresh(1);
      const change = await planned(action, params, ids);
      proxy.rule = async (request, forward) => {
        const answer = await forward();
        return isWrite(request) ? apiError(status, 'backendError') : answer;
      };
      expect(await execute(change)).toEqual(succeeded(ids));
    }
  });

  test('is a refusal of everything until a time ends the batch, and says until when', async () => {
    const ids = await fresh(2);
    const change = await planned('delete', {}, ids);
    const until = '2027-01-01T00:00:00.000Z';
    const body = {
      error: { code: 403, message: `Quota exceeded. Retry after ${until}`, status: 'RESOURCE_EXHAUSTED' },
    };
    proxy.rule = onWrite({ status: 403, body: JSON.stringify(body) });
    const error = await failure(execute(change));
    expect(error.code).toBe('RATE_LIMITED');
    expect(error.hint).toContain(until);
    expect((await calendar.event(ids[0]!)).status).toBe('confirmed');
  });

  test('is an error of the read before a shift changes nothing', async () => {
    const ids = await fresh(1);
    const { context, items } = await planned('shift', { shift_minutes: 60 }, ids);
    proxy.rule = () => apiError(500, 'backendError');
    const bare = items.map(({ id, display_name }) => ({ id, display_name }));
    expect(await execute({ context, items: bare })).toMatchObject([{ success: false, retryable: true }]);
  });

  test('cannot be read is not trusted: the event is read back', async () => {
    const ids = await fresh(3);
    const change = await planned('patch', { patch: { colorId: '3' } }, ids);
    proxy.rule = async (request, forward) => {
      const [, kept, unread] = ids;
      if (isWrite(request) && request.path.endsWith(kept!)) return { status: 200, body: '{}' };
      const answer = await forward();
      if (isWrite(request)) return { status: 200, body: '{"id":7}' };
      return request.path.endsWith(unread!) ? 'reset' : answer;
    };
    expect(await execute(change)).toEqual([
      { item_id: ids[0], success: true },
      expect.objectContaining({
        success: false,
        retryable: true,
        error: expect.stringContaining('as it was'),
      }),
      expect.objectContaining({ success: false, outcome_unknown: true }),
    ]);
  });

  test('shows the event unchanged is not trusted', async () => {
    const ids = await fresh(1);
    const change = await planned('patch', { patch: { colorId: '3' } }, ids);
    const body = JSON.stringify(await calendar.event(ids[0]!));
    proxy.rule = onWrite({ status: 200, body });
    expect(await execute(change)).toMatchObject([{ success: false, retryable: true }]);
  });

  test('never comes is given up at the deadline, and when the call is aborted', async () => {
    const ids = await fresh(2);
    const change = await planned('delete', {}, ids);
    proxy.rule = () => 'silence';
    expect(await execute(change, within(1_000))).toMatchObject([
      { success: false, outcome_unknown: true },
      { success: false, outcome_unknown: true },
    ]);
    const controller = new AbortController();
    proxy.rule = () => {
      controller.abort();
      return 'silence';
    };
    const [first] = await execute(change, within(30_000, controller.signal));
    expect(first).toMatchObject({ success: false, outcome_unknown: true });
  });

  test('never comes to the read before a change means that nothing was changed', async () => {
    const ids = await fresh(1);
    const change = await planned('move', { target_calendar: 'Archive' }, ids);
    proxy.rule = () => 'reset';
    expect(await execute(change)).toEqual([
      {
        item_id: ids[0],
        success: false,
        error: expect.stringContaining('did not answer'),
        retryable: true,
      },
    ]);
  });

  test('Google cannot give for a moment when it is read afterwards is an error of the whole read-back', async () => {
    const ids = await fresh(1);
    const change = await planned('patch', { patch: { colorId: '3' } }, ids);
    proxy.rule = () => apiError(503, 'backendError');
    expect((await failure(reconcile(change))).code).toBe('ADAPTER_UNAVAILABLE');
    proxy.rule = () => apiError(403, 'forbidden');
    expect(await reconcile(change)).toEqual(['unknown']);
  });
});

test('a move into a calendar that was a guest is applied once that calendar owns the event', async () => {
  const [id] = await fresh(1);
  const change = await planned('move', { target_calendar: 'Archive' }, [id!]);
  await calendar.insert({ ...(await calendar.event(id!)), id }, ARCHIVE);
  proxy.rule = async (_request, forward) => {
    const answer = await forward();
    return { ...answer, body: answer.body.replace('"self":true', '"self":false') };
  };
  expect(await reconcile(change)).toEqual(['not_applied']);
});

test('a refused token is requested again once, and the change is made once', async () => {
  const ids = await fresh(1);
  const change = await planned('delete', {}, ids);
  proxy.rule = ({ authorization }, forward) =>
    authorization === 'Bearer new' ? forward() : apiError(401, 'authError');
  const asked: unknown[] = [];
  const renewing = adapter((...refused: unknown[]) => {
    asked.push(refused[0]);
    return Promise.resolve(asked.length === 1 ? 'old' : 'new');
  });
  expect(await renewing.executeBatch(change.items, change.context, within())).toEqual(succeeded(ids));
  expect(asked).toEqual([undefined, 'old']);
});

test('prepare fails with a clear message if the list of calendars is unavailable', async () => {
  proxy.rule = () => apiError(403, 'insufficientPermissions');
  const error = await failure(prepare('delete', { calendar: 'Team', send_updates: 'none' }, true));
  expect(error.code).toBe('CREDENTIALS_INVALID');
  expect(error.message).toMatch(/^Failed to look up the names: /);
  expect(error.hint).toContain('batchgate login google --for calendar');
});
