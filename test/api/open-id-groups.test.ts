import { Browser } from '../helpers/identity-provider';
import { countingTool } from '../helpers/harness';
import { startOpenIdStage, type OpenIdStage } from '../helpers/open-id-stage';

const marks = new Map<string, string>();
const failing = new Set<string>();
const tool = countingTool(10, {
  apply: ({ id }) =>
    Promise.resolve(
      failing.has(id) ? { item_id: id, success: false, error: 'no', retryable: true } : undefined,
    ),
  marks,
});
let stage: OpenIdStage;
let { provider, harness, http, comeBack, post } = {} as OpenIdStage;

beforeAll(async () => {
  stage = await startOpenIdStage(
    [
      {
        name: 'staff',
        when: 'domain == "fake"',
        require: { approvals: 2, from: ['group:staff'], assurance: 'session', not_requester: true },
      },
    ],
    tool,
  );
  ({ provider, harness, http, comeBack, post } = stage);
});
beforeEach(() => marks.clear());
afterAll(() => stage?.close());

describe('the groups that the identity provider names', () => {
  const approverOf = (login: string, ...groups: string[]) => named(login, login, ...groups);
  const named = (login: string, name: string, ...groups: string[]) =>
    provider.token({
      ...{ sub: login, name, groups: ['bulk-admins', ...groups] },
      ...{ aud: 'https://batchgate.example', azp: 'mobile-app' },
    });
  const asked = async () => {
    const { operation_id, next_batch } = await harness.start({
      params: { group: 'staff' },
      requested_by: 'rita',
      requested_subject: `${provider.issuer}|rita`,
    });
    const path = `/v1/operations/${operation_id}/continue`;
    const body = { batch: 1, digest: next_batch?.digest };
    return { path, body, decide: (key: string) => http.ask('POST', path, { key, body }) };
  };

  it('say who may approve, by a sign-in and by an access token', async () => {
    const browser = new Browser();
    await browser.open(await comeBack(browser, 'ada'));
    const { path, body, decide } = await asked();
    const first = await post(browser, path, body);
    expect(first.status).toBe(202);
    expect(await first.json()).toMatchObject({
      approvals: { given: [{ by: 'Ada Lovelace', assurance: 'session' }], still_needed: 'one of staff' },
    });
    const refused = async (key: string) => (await decide(key)).body.details?.reason as unknown;
    expect(await refused(await approverOf('gus'))).toBe('not_asked');
    expect(await refused(await approverOf('gus', 'Staff'))).toBe('not_asked');
    // The same subject under another name, and the requester.
    expect(await refused(await approverOf('ada', 'staff'))).toBe('counted');
    expect(await refused(await approverOf('rita', 'staff'))).toBe('requester');
    const claimed = await http.ask('POST', path, { body: { ...body, by: 'fay' } });
    expect([claimed.status, claimed.body.details.reason]).toEqual([403, 'not_asked']);
    expect((await decide(await approverOf('fay', 'staff'))).body).toMatchObject({ processed: 10 });
  });

  it('let no requester approve under another name what follows their operation', async () => {
    const rita = () => named('rita', 'R. Miller', 'staff');
    const first = await asked();
    const refuses = async ({ status, body }: { status: number; body: any }, deciders: string[]) => {
      const { operation_id: id, next_batch } = body;
      const decide = async (key: string) =>
        http.ask('POST', `/v1/operations/${id}/continue`, { key, body: { digest: next_batch.digest } });
      expect([status, (await decide(await rita())).body.details?.reason]).toEqual([201, 'requester']);
      let last;
      for (const login of deciders) last = await decide(await approverOf(login, 'staff'));
      if (!last) await http.done('POST', `/v1/operations/${id}/cancel`);
      return { id, follow: (what: string, key?: string, sent?: object) => follow(id, what, key, sent) };
    };
    const follow = (id: string, what: string, key?: string, body?: object) =>
      http.ask('POST', `/v1/operations/${id}/${what}`, { ...(key && { key }), body });
    await http.done('POST', first.path.replace('continue', 'cancel'));
    failing.add('item-003');
    const rest = await refuses(await http.ask('POST', first.path.replace('continue', 'resume')), [
      'ada',
      'fay',
    ]);
    failing.clear();
    // Whoever asks for it again: it is still the request of the requester, or that of who gives another reason.
    await refuses(await rest.follow('retry-failed'), []);
    await refuses(await rest.follow('retry-failed', await rita(), { reason: 'Again' }), []);
    await refuses(await rest.follow('undo', await rita()), []);
  });

  it('no longer count the approval of a person who has left the group at a later sign-in', async () => {
    const browser = new Browser();
    await browser.open(await comeBack(browser, 'ada'));
    const { path, body, decide } = await asked();
    expect((await post(browser, path, body)).status).toBe(202);
    await harness.store.access.openSession('a later one', {
      ...{ name: 'Ada Lovelace', role: 'admin', subject: 'ada', groups: ['bulk-admins'] },
      expires_at: new Date(Date.now() + 7_200_000).toISOString(),
    });
    const last = await decide(await approverOf('fay', 'staff'));
    expect([last.status, last.body.processed]).toEqual([202, 0]);
    expect(last.body.approvals).toMatchObject({ given: [{ by: 'fay' }], lost: ['Ada Lovelace'] });
    await http.done('POST', path.replace('continue', 'cancel'));
  });
});
