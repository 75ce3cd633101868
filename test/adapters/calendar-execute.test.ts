import {
  ARCHIVE,
  bare,
  calendar,
  execute,
  fresh,
  planned,
  proxy,
  reconcile,
  SAM,
  succeeded,
  TEAM,
  undoing,
  useCalendar,
} from './calendar-setup';

useCalendar();

const isWrite = ({ method }: { method: string }) => method !== 'GET';

describe('a change', () => {
  test('deletes the named events, and reads each back', async () => {
    const ids = await fresh(6);
    const change = await planned('delete', { send_updates: 'all' }, ids);
    expect(await execute(change)).toEqual(succeeded(ids));
    const writes = proxy.requests.filter(isWrite);
    expect(writes.map(({ method }) => method)).toEqual(Array(6).fill('DELETE'));
    expect(new Set(writes.map(({ query }) => query.get('sendUpdates')))).toEqual(new Set(['all']));
    expect(proxy.requests).toHaveLength(12);
    expect(proxy.most).toBeLessThanOrEqual(5);
    for (const id of ids) expect((await calendar.event(id)).status).toBe('cancelled');
    expect(await reconcile(change)).toEqual(Array(6).fill('applied'));
  });

  test('deletes one occurrence and leaves the series, or the series with all its occurrences', async () => {
    const occurrence = 'team0002_20261202T080000Z';
    expect(await execute(await planned('delete', {}, [occurrence]))).toEqual(succeeded([occurrence]));
    const left = await calendar.list('singleEvents=true&q=stand-up');
    expect(left.filter(({ id }) => id.startsWith('team0002'))).toHaveLength(8);
    expect(await execute(await planned('delete', {}, ['team0002']))).toEqual(succeeded(['team0002']));
    const rest = await calendar.list('singleEvents=true&q=stand-up');
    expect(rest.filter(({ id }) => id.startsWith('team0002'))).toEqual([]);
  });

  test('changes many occurrences of one series, one by one', async () => {
    const ids = ['team0001_20261207T080000Z', 'team0001_20261214T080000Z', 'team0001_20261221T080000Z'];
    const change = await planned('patch', { patch: { location: 'Room Ash' } }, ids);
    expect(await execute(change)).toEqual(succeeded(ids));
    const places = (await calendar.list('singleEvents=true&orderBy=startTime&q=stand-up')).filter(
      ({ location }) => location === 'Room Ash',
    );
    expect(places.map(({ id }) => id)).toEqual(ids);
  });

  test('moves events to the other calendar, under the same ids', async () => {
    const ids = await fresh(3);
    const change = await planned('move', { target_calendar: 'Archive', send_updates: 'externalOnly' }, ids);
    expect(await reconcile(change)).toEqual(Array(3).fill('not_applied'));
    expect(await execute(change)).toEqual(succeeded(ids));
    const moves = proxy.requests.filter(({ method }) => method === 'POST');
    expect(moves.map(({ query }) => Object.fromEntries(query))).toEqual(
      Array(3).fill(expect.objectContaining({ destination: ARCHIVE, sendUpdates: 'externalOnly' })),
    );
    for (const id of ids) {
      expect((await calendar.event(id)).status).toBe('cancelled');
      expect(await calendar.event(id, ARCHIVE)).toMatchObject({
        status: 'confirmed',
        organizer: { self: true },
      });
    }
    expect(await reconcile(change)).toEqual(Array(3).fill('applied'));
  });

  test('moves a whole series, and no single occurrence', async () => {
    const occurrence = 'team0003_20261204T090000Z';
    const [refused] = await execute(
      await planned('move', { target_calendar: 'Archive' }, ['team0003_20261211T080000Z']),
    );
    expect(refused).toMatchObject({ success: false, retryable: false });
    expect(refused?.error).toContain('move the whole series (single_events: false)');
    expect(proxy.requests.filter(isWrite)).toEqual([]);
    expect(await execute(await planned('move', { target_calendar: 'Archive' }, ['team0003']))).toEqual(
      succeeded(['team0003']),
    );
    const moved = await calendar.list('singleEvents=true&q=stand-up', ARCHIVE);
    expect(moved).toHaveLength(10);
    expect(moved.map(({ summary }) => summary)).toContain('Stand-up (late)');
    expect(moved.map(({ id }) => id)).not.toContain(occurrence);
  });

  test.each([
    [{ colorId: '11' }, { colorId: '11' }],
    [{ visibility: 'default', transparency: 'opaque' }, {}],
    [{ visibility: 'confidential', transparency: 'transparent' }, { visibility: 'confidential' }],
    [{ summary: 'Another title', location: '' }, { summary: 'Another title' }],
    [
      { reminders: { useDefault: false, overrides: [{ method: 'popup', minutes: 30 }] } },
      { reminders: { useDefault: false, overrides: [{ method: 'popup', minutes: 30 }] } },
    ],
    [{ reminders: { useDefault: false } }, { reminders: { useDefault: false } }],
    [
      { reminders: { useDefault: true } },
      { reminders: { useDefault: true } },
      { reminders: { useDefault: false, overrides: [{ method: 'email', minutes: 5 }] } },
    ],
  ])('sets %j and nothing else', async (patch, shown, before: object = {}) => {
    const ids = await fresh(2, {
      location: 'Room Elm',
      visibility: 'private',
      description: 'Notes',
      ...before,
    });
    const change = await planned('patch', { patch }, ids);
    expect(await reconcile(change)).toEqual(['not_applied', 'not_applied']);
    expect(await execute(change)).toEqual(succeeded(ids));
    expect(proxy.requests.filter(isWrite)).toHaveLength(2);
    expect(await calendar.event(ids[0]!)).toMatchObject({ ...shown, description: 'Notes' });
    expect(await reconcile(change)).toEqual(['applied', 'applied']);
  });

  test('gives an event reminders of its own, and an undo those of its calendar again', async () => {
    const ids = await fresh(1);
    const reminders = { useDefault: false, overrides: [{ method: 'popup', minutes: 30 }] };
    const change = await planned('patch', { patch: { reminders } }, ids);
    expect(await execute(change)).toEqual(succeeded(ids));
    expect((await calendar.event(ids[0]!))['reminders']).toEqual(reminders);
    expect(await execute(await undoing(change))).toEqual(succeeded(ids));
    expect((await calendar.event(ids[0]!))['reminders']).toEqual({ useDefault: true });
  });

  test('works without a plan too: it reads first, and still changes only the version that it read', async () => {
    const ids = await fresh(2);
    const { context } = await planned('shift', { shift_minutes: 60 }, ids);
    await calendar.remove(ids[1]!);
    const results = await execute({ items: ids.map(bare), context });
    expect(results).toEqual([
      { item_id: ids[0], success: true },
      { item_id: ids[1], success: false, error: 'Event not found', retryable: false },
    ]);
    expect((await calendar.event(ids[0]!)).start.dateTime).toBe('2027-02-01T11:00:00+01:00');
    expect(await reconcile({ items: [bare(ids[0]!)], context })).toEqual(['unknown']);
  });

  test('leaves an event that was not found by the plan, even if it exists by then', async () => {
    const [id] = await fresh(1);
    const { context } = await planned('patch', { patch: { colorId: '11' } }, []);
    const item = { ...bare(id!), raw_data: { missing: 'Event not found' } };
    expect(await execute({ items: [item], context })).toMatchObject([
      { changed_since_preview: true, error: 'Changed since the preview: it could not be read before' },
    ]);
    expect((await calendar.event(id!)).colorId).not.toBe('11');
  });

  test('sends nothing for no items', async () => {
    const { context } = await planned('delete', {}, []);
    expect(await execute({ items: [], context })).toEqual([]);
    expect(proxy.calls).toEqual([]);
  });
});

describe('an invitation', () => {
  const answers = async (id: string) =>
    (await calendar.event(id, SAM)).attendees!.map(
      ({ email, responseStatus }) => `${email} ${responseStatus}`,
    );

  test.each(['accepted', 'declined', 'tentative'])(
    'is answered with %s, for this calendar only',
    async (response) => {
      const id = { accepted: 'invite0001', declined: 'invite0002', tentative: 'invite0003' }[response]!;
      const [host, , other] = await answers(id);
      const change = await planned('respond', { calendar: 'primary', response, send_updates: 'all' }, [id]);
      expect(await reconcile(change)).toEqual(['not_applied']);
      expect(await execute(change)).toEqual(succeeded([id]));
      expect(await answers(id)).toEqual([host, `${SAM} ${response}`, other]);
      expect(await reconcile(change)).toEqual(['applied']);
    },
  );

  test('to an event of its own is answered without answering for the other guests', async () => {
    const attendees = [{ email: TEAM }, { email: 'ana.duarte@work.example', responseStatus: 'tentative' }];
    const [id] = await fresh(1, { attendees });
    expect(await execute(await planned('respond', { response: 'accepted' }, [id!]))).toEqual(
      succeeded([id!]),
    );
    expect((await calendar.event(id!)).attendees).toMatchObject([
      { email: TEAM, responseStatus: 'accepted' },
      { email: 'ana.duarte@work.example', responseStatus: 'tentative' },
    ]);
  });

  test('of many guests keeps the guests that Google did not show', async () => {
    const change = await planned('respond', { calendar: 'Sam', response: 'accepted' }, ['invite0004']);
    proxy.rule = async (request, forward) => {
      const answer = await forward();
      if (isWrite(request)) return answer;
      const event = JSON.parse(answer.body) as { attendees: { self?: boolean }[] };
      const shown = {
        ...event,
        attendeesOmitted: true,
        attendees: event.attendees.filter(({ self }) => self),
      };
      return { ...answer, body: JSON.stringify(shown) };
    };
    expect(await execute(change)).toEqual(succeeded(['invite0004']));
    expect(await answers('invite0004')).toHaveLength(3);
  });

  test('that does not exist is an error of that event', async () => {
    const [plain] = await fresh(1, {}, SAM);
    const change = await planned('respond', { calendar: 'Sam', response: 'accepted' }, [plain!]);
    expect(await execute(change)).toEqual([
      {
        item_id: plain,
        success: false,
        error: 'This calendar is not invited to the event',
        retryable: false,
      },
    ]);
    expect(proxy.requests.filter(isWrite)).toEqual([]);
  });

  test('otherwise leaves the event to its organizer', async () => {
    const [refused] = await execute(
      await planned('shift', { calendar: 'Sam', shift_minutes: 30 }, ['invite0005']),
    );
    expect(refused).toMatchObject({ success: false, retryable: false });
    expect(refused?.error).toBe('Only the organizer of this event can change it');
    expect(proxy.requests.filter(isWrite)).toEqual([]);
  });
});

describe('an event that somebody else', () => {
  const CHANGES = [
    ['delete', {}],
    ['move', { target_calendar: 'Archive' }],
    ['patch', { patch: { colorId: '3' } }],
    ['shift', { shift_minutes: 15 }],
    ['respond', { response: 'accepted' }],
  ] as const;
  const invited = { attendees: [{ email: TEAM }] };

  test.each(CHANGES)('changed since the preview is not changed by %s', async (action, params) => {
    const ids = await fresh(2, invited);
    const change = await planned(action, params, ids);
    await calendar.change(ids[0]!, { location: 'Elsewhere' });
    const before = await calendar.event(ids[0]!);
    expect(await execute(change)).toEqual([
      {
        item_id: ids[0],
        success: false,
        error: 'Changed since the preview: the event has a newer version',
        changed_since_preview: true,
        retryable: true,
      },
      { item_id: ids[1], success: true },
    ]);
    expect(await calendar.event(ids[0]!)).toEqual(before);
    const again = await planned(action, params, [ids[0]!]);
    expect(await execute(again)).toEqual(succeeded([ids[0]!]));
  });

  test.each(CHANGES)(
    'deleted since the preview is not found by %s, and is theirs for delete',
    async (action, params) => {
      const ids = await fresh(1, invited);
      const change = await planned(action, params, ids);
      await calendar.remove(ids[0]!);
      const gone = { error: 'Event not found', retryable: false };
      const theirs = {
        error: 'Changed since the preview: it is so by now',
        ...{ changed_since_preview: true, retryable: true },
      };
      const expected = action === 'delete' ? theirs : gone;
      expect(await execute(change)).toEqual([{ item_id: ids[0], success: false, ...expected }]);
      expect(await reconcile(change)).toEqual([action === 'delete' ? 'applied' : 'not_applied']);
    },
  );

  test.each(CHANGES)('never made is not found by %s', async (action, params) => {
    const change = await planned(action, params, ['nosuchevent']);
    expect(await execute(change)).toEqual([
      { item_id: 'nosuchevent', success: false, error: 'Event not found', retryable: false },
    ]);
  });
});
