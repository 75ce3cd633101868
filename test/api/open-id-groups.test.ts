import { Browser } from '../helpers/identity-provider';
import { startOpenIdStage, type OpenIdStage } from '../helpers/open-id-stage';

let stage: OpenIdStage;
let { provider, harness, http, comeBack, post } = {} as OpenIdStage;

beforeAll(async () => {
  stage = await startOpenIdStage([
    {
      name: 'staff',
      when: 'params.group == "staff"',
      require: { approvals: 2, from: ['group:staff'], assurance: 'session', not_requester: true },
    },
  ]);
  ({ provider, harness, http, comeBack, post } = stage);
});
afterAll(() => stage?.close());

describe('the groups that the identity provider names', () => {
  const approverOf = (login: string, ...groups: string[]) =>
    provider.token({
      ...{ sub: login, name: login, groups: ['bulk-admins', ...groups] },
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
    const named = await http.ask('POST', path, { body: { ...body, by: 'fay' } });
    expect([named.status, named.body.details.reason]).toEqual([403, 'not_asked']);
    expect((await decide(await approverOf('fay', 'staff'))).body).toMatchObject({ processed: 10 });
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
