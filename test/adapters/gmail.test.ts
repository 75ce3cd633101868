import { createServer, type AddressInfo } from 'node:net';
import { mapConcurrently } from '../../activities/adapters/shared/actions';
import { bulkItemSchema, type BulkItem, type PreparedBulkContext } from '../../src/contract/items';
import { DEMO_LABEL, NEWSLETTER_SENDER } from '../../src/host/local-google/record';
import { apiError } from './fault-proxy';
import {
  ask,
  execute,
  failure,
  fresh,
  gmail,
  idsOf,
  item,
  planned,
  prepare,
  prepared,
  proxy,
  useMailbox,
  within,
} from './gmail-setup';

useMailbox();

describe('prepare', () => {
  test('resolves a label name in any case to its id, and reads no emails', async () => {
    const context = await prepare('label', { sender: NEWSLETTER_SENDER, label_name: ' newsLETTERS ' });
    expect(context).toEqual({
      tool_name: 'gmail',
      action: 'label',
      query_params: { senders: [NEWSLETTER_SENDER] },
      action_params: { label: { id: 'Label_1', name: DEMO_LABEL } },
    });
    expect(proxy.calls).toEqual(['GET labels']);
    expect(gmail().describeChange?.(context)).toEqual({
      summary: `Add the label “${DEMO_LABEL}” to mail from ${NEWSLETTER_SENDER}.`,
      fields: [{ name: 'label', to: DEMO_LABEL }],
      reversible: 'yes',
    });
  });

  test('sends Gmail nothing for an action that needs no label', async () => {
    expect(await prepare('archive', { query: 'is:read' })).toMatchObject({
      action_params: { label: { id: 'INBOX', name: 'INBOX' } },
    });
    expect(proxy.calls).toEqual([]);
  });

  test.each([
    ['burn', { sender: 'a' }, false, /Unknown action for gmail: burn/, /label, unlabel, archive/],
    ['constructor', { sender: 'a' }, false, /Unknown action/, /label, unlabel/],
    ['archive', {}, false, /Missing required parameters: sender or query/, /sender, query/],
    ['label', { sender: 'a' }, false, /Missing required parameters: label_name/, /label_name/],
    ['label', {}, false, /Missing required parameters: sender or query, label_name/, /label_name/],
    ['unlabel', {}, true, /Missing required parameters: label_name/, /label_name/],
    ['archive', { sender: 'a', query: 'b' }, false, /not both/, /sender, query/],
    ['archive', { sender: 'a', label_name: 'x' }, false, /label_name/, /sender, query/],
    ['unlabel', { sender: 'a', label_name: 'x', create_label: true }, false, /create_label/, /label_name/],
    ['archive', { sender: 'a" OR is:unread "' }, false, /sender: no quotes/, /sender, query/],
    ['archive', { sender: 7 }, false, /sender/, /sender, query/],
    ['archive', { sender: 'Duarte, Ana' }, false, /sender: write several senders as a list/, /sender, query/],
    ['archive', { sender: 'ana@x.example, Ben' }, false, /as a list: \["Ana Duarte"/, /sender, query/],
    ['archive', { sender: [] }, false, /sender/, /sender, query/],
    ['archive', { sender: ['ana', 'b" OR "c'] }, false, /no quotes/, /sender, query/],
    ['star', { sender: 'a', whole_conversations: true }, false, /whole_conversations/, /sender, query/],
    ['archive', { whole_conversations: true }, true, /Explicit items together/, /either/],
    ['archive', { sender: 'a' }, true, /Explicit items together with query parameters: sender/, /either/],
  ])('refuses %s with %j (explicit items: %s)', async (action, params, explicit, message, hint) => {
    const error = await failure(prepare(action, params, explicit));
    expect(error.code).toBe('INVALID_INPUT');
    expect(error.message).toMatch(message);
    expect(error.hint).toMatch(hint);
    expect(proxy.calls).toEqual([]);
  });
});

test("suggests the user's labels for a label's name, and nothing for other parameters", async () => {
  const suggest = (parameter: string) => gmail().suggest?.({ parameter, params: {} }, within());
  const known = (await ask('labels')).labels?.map(({ name }) => name);
  expect(known).toEqual(expect.arrayContaining(['INBOX', DEMO_LABEL]));
  const suggested = await suggest('label_name');
  expect(suggested).toContain(DEMO_LABEL);
  expect(suggested).not.toContain('INBOX');
  expect(proxy.calls).toEqual(['GET labels']);
  expect(await suggest('constructor')).toEqual([]);
  expect(proxy.calls).toEqual(['GET labels']);
});

describe('counting and listing', () => {
  const search = (params: Record<string, unknown>): PreparedBulkContext => ({
    tool_name: 'gmail',
    action: 'archive',
    query_params: params,
    action_params: { label: { id: 'INBOX', name: 'INBOX' } },
  });
  const newsletters = search({ senders: [NEWSLETTER_SENDER] });

  test('counts exactly, without reading an email', async () => {
    expect(await gmail().getTotalCount(newsletters, within())).toBe(50);
    expect(await gmail().getTotalCount(search({ query: 'from:nobody-at-all' }), within())).toBe(0);
    expect(proxy.calls).toEqual(['GET messages', 'GET messages']);
    expect(proxy.requests[0]?.query.get('fields')).toBe('messages(id,threadId),nextPageToken');
  });

  test('counts over all pages, including short and empty ones', async () => {
    const pages = [['a', 'b'], [], ['c']];
    proxy.rule = ({ query }) => {
      const page = Number(query.get('pageToken') ?? 0);
      const messages = pages[page]?.map((id) => ({ id }));
      const next = page < 2 ? { nextPageToken: String(page + 1) } : {};
      return { status: 200, body: JSON.stringify({ ...(messages?.length ? { messages } : {}), ...next }) };
    };
    expect(await gmail().getTotalCount(newsletters, within())).toBe(3);
    expect(proxy.requests.map(({ query }) => query.get('maxResults'))).toEqual(['500', '500', '500']);
  });

  test('pages through all emails in list order, never more than requested, with names', async () => {
    const seen: BulkItem[] = [];
    for (let page: BulkItem[] = [], offset = 0; offset === 0 || page.length > 0; offset += 20) {
      page = await gmail().getNextBatch(newsletters, 20, offset, within());
      expect(page.length).toBeLessThanOrEqual(20);
      seen.push(...page);
    }
    expect(seen.map(({ id }) => id)).toEqual(await idsOf(`q=from:${NEWSLETTER_SENDER}`));
    expect(seen.every((one) => bulkItemSchema.safeParse(one).success)).toBe(true);
    expect(seen.every(({ display_name }) => /issue|reads|Northwind/i.test(display_name))).toBe(true);
    expect(proxy.most).toBeLessThanOrEqual(5);
  });

  test('reads the emails of a page only, from as few lists as it needs', async () => {
    await gmail().getNextBatch({ ...newsletters, action: 'star' }, 3, 20, within());
    expect(proxy.requests).toHaveLength(1 + 3);
    expect(proxy.requests[0]?.query.get('maxResults')).toBe('23');
    expect(proxy.requests[1]?.query.toString()).toContain(
      'format=metadata&metadataHeaders=Subject&metadataHeaders=From',
    );
  });

  test('names an email by its subject, its sender and its date, in one line that fits', async () => {
    const [first] = await gmail().getNextBatch(
      search({ senders: ['ana.duarte@work.example'] }),
      1,
      0,
      within(),
    );
    expect(first?.display_name).toBe('Notes from today – Ana Duarte <ana.duarte@work.example>, 2026-06-16');
    const subjects = [`${'x'.repeat(470)}😀${'y'.repeat(50)}`, 'two\r\n lines\u001b[2J', '   '];
    const dates = ['1767571200000', undefined, 'no number'];
    proxy.rule = async (request, forward) => {
      if (request.path.endsWith('/messages')) return forward();
      const headers = [
        { name: 'subject', value: subjects.shift() },
        ...(subjects.length > 0 ? [{ name: 'FROM', value: `Ana\n ${'n'.repeat(200)}` }] : []),
      ];
      const shown = { id: 'x', internalDate: dates.shift(), payload: { headers } };
      return { status: 200, body: JSON.stringify(shown) };
    };
    const star = { ...newsletters, action: 'star' };
    const names = (await gmail().getNextBatch(star, 3, 0, within())).map((one) => one.display_name);
    const ana = `Ana ${'n'.repeat(115)}…`;
    expect(names[0]).toHaveLength(500);
    expect(names[0]).toMatch(new RegExp(`^x+… – ${ana}, 2026-01-05$`));
    expect(names.slice(1)).toEqual([`two lines\u001b[2J – ${ana}`, '(no subject)']);
  });

  test('keeps an email in the list that was deleted during the listing', async () => {
    proxy.rule = (request, forward) =>
      request.path.endsWith('/messages') ? forward() : apiError(404, 'notFound');
    const page = await gmail().getNextBatch(newsletters, 2, 0, within());
    expect(page.map(({ display_name }) => display_name)).toEqual(['(deleted email)', '(deleted email)']);
  });

  test('searches for a sender as one term, whatever it contains', async () => {
    await gmail().getTotalCount(search({ senders: ['Ana Duarte'] }), within());
    await gmail().getTotalCount(search({ senders: ['a|b'] }), within());
    await gmail().getTotalCount(search({ query: 'from:a is:unread' }), within());
    const queries = proxy.requests.map(({ query }) => query.get('q'));
    expect(queries).toEqual(['from:"Ana Duarte"', 'from:"a|b"', 'from:a is:unread']);
  });

  const [ANA, BEN] = ['ana.duarte@work.example', 'ben@work.example'];
  test.each([
    `${ANA}, ${BEN}`,
    `Ana Duarte <${ANA}>; Ben Okafor <${BEN}>`,
    `${ANA} or ${BEN}`,
    `${ANA} ${BEN} ${ANA}`,
    [ANA, BEN],
  ])('finds the emails of both senders in %j, each once', async (sender) => {
    const context = await prepare('star', { sender });
    expect(gmail().describeChange?.(context).summary).toBe(`Star mail from ${ANA} or ${BEN}.`);
    const both = [...(await idsOf(`q=from:${ANA}`)), ...(await idsOf(`q=from:${BEN}`))];
    expect(await gmail().getTotalCount(context, within())).toBe(both.length);
    const listed: string[] = [];
    for (let offset = 0; offset < both.length; offset += 25)
      listed.push(...(await gmail().getNextBatch(context, 25, offset, within())).map(({ id }) => id));
    expect(listed).toEqual(both);
  });

  test('finds an email once that two of the senders match', async () => {
    const context = await prepare('star', { sender: [BEN, 'Ben Okafor', 'work.example'] });
    const both = await idsOf('q=from:work.example');
    expect(await gmail().getTotalCount(context, within())).toBe(both.length);
  });

  test('refuses a context without a search, because it would match the whole mailbox', async () => {
    expect((await failure(gmail().getTotalCount(search({}), within()))).code).toBe('INVALID_INPUT');
    expect(proxy.calls).toEqual([]);
  });

  test.each([
    ['429', apiError(429, 'rateLimitExceeded'), 'ADAPTER_UNAVAILABLE', 1],
    ['403 for a rate', apiError(403, 'userRateLimitExceeded'), 'ADAPTER_UNAVAILABLE', 1],
    ['403 for a scope', apiError(403, 'insufficientPermissions'), 'CREDENTIALS_INVALID', 1],
    ['401', apiError(401, 'authError'), 'CREDENTIALS_INVALID', 2],
    ['400', apiError(400, 'invalidArgument'), 'INVALID_INPUT', 1],
    ['500', apiError(500, 'backendError'), 'ADAPTER_UNAVAILABLE', 1],
    ["a gateway's page", { status: 502, body: '<html>bad gateway' }, 'ADAPTER_UNAVAILABLE', 1],
    ['a page instead of JSON', { status: 200, body: '<html>hello' }, 'ADAPTER_UNAVAILABLE', 1],
    ['emails without ids', { status: 200, body: '{"messages":[{}]}' }, 'ADAPTER_UNAVAILABLE', 1],
    ['nothing and breaks off', 'reset' as const, 'ADAPTER_UNAVAILABLE', 1],
  ])('fails without a retry when Gmail answers %s', async (_name, fault, code, requests) => {
    proxy.rule = () => fault;
    const counting = await failure(gmail().getTotalCount(newsletters, within()));
    expect(counting.code).toBe(code);
    expect(counting.message).toMatch(/^Failed to count emails: /);
    expect(counting.hint).not.toBe('');
    expect(proxy.requests).toHaveLength(requests);
    const listing = await failure(gmail().getNextBatch(newsletters, 5, 0, within()));
    expect(listing.message).toMatch(/^Failed to fetch emails: /);
  });

  test('reports that nothing listens at the address', async () => {
    const server = createServer().listen(0, '127.0.0.1');
    await new Promise((resolve) => server.once('listening', resolve));
    const { port } = server.address() as AddressInfo;
    await new Promise((resolve) => server.close(resolve));
    const nowhere = gmail(undefined, `http://127.0.0.1:${port}`);
    const error = await failure(nowhere.getTotalCount(newsletters, within()));
    expect(error.body).toMatchObject({
      code: 'ADAPTER_UNAVAILABLE',
      message: 'Failed to count emails: Gmail could not be reached',
    });
    const [one] = fresh(1);
    const results = await nowhere.executeBatch([one!], await prepared('star'), within());
    expect(results).toEqual([
      { item_id: one!.id, success: false, error: 'Gmail could not be reached', retryable: true },
    ]);
  });
});

describe('reconcile', () => {
  test.each(['star', 'trash', 'mark_unread'])('tells whether %s was applied', async (action) => {
    const read = await planned('mark_read', {}, fresh(1));
    await execute(read);
    const change = await planned(action, {}, read.items);
    const found = () => gmail().reconcile?.(change.items[0]!, change.context, within());
    expect(await found()).toBe('not_applied');
    await execute(change);
    expect(await found()).toBe('applied');
  });

  test('reports a missing email as not applied, and an unreadable one as unknown', async () => {
    const context = await prepared('trash');
    expect(await gmail().reconcile?.(item('19affffffffffffff'), context, within())).toBe('not_applied');
    proxy.rule = () => apiError(403, 'forbidden');
    expect(await gmail().reconcile?.(item('19affffffffffffff'), context, within())).toBe('unknown');
  });

  test('throws if another try may tell', async () => {
    const context = await prepared('star');
    for (const fault of ['reset', apiError(429, 'rateLimitExceeded'), apiError(401, 'authError')] as const) {
      proxy.rule = () => fault;
      const error = await failure(gmail().reconcile!(item('19a'), context, within()));
      expect(error.code).toBe(
        typeof fault === 'object' && fault.status === 401 ? 'CREDENTIALS_INVALID' : 'ADAPTER_UNAVAILABLE',
      );
    }
  });
});

describe('mapConcurrently', () => {
  test('starts nothing more after a failure, and waits for running calls', async () => {
    const seen: number[] = [];
    const work = mapConcurrently([0, 1, 2, 3, 4], 2, async (n) => {
      if (n === 0) throw new Error('the first');
      for (let turn = 0; turn < 9; turn += 1) await Promise.resolve();
      seen.push(n);
    });
    await expect(work).rejects.toThrow('the first');
    expect(seen).toEqual([1]);
  });

  test('keeps the order and the limit', async () => {
    let open = 0;
    let most = 0;
    const results = await mapConcurrently([3, 1, 2, 0], 2, async (turns) => {
      most = Math.max(most, (open += 1));
      for (let turn = 0; turn < turns; turn += 1) await Promise.resolve();
      open -= 1;
      return turns * 10;
    });
    expect({ results, most }).toEqual({ results: [30, 10, 20, 0], most: 2 });
  });
});
