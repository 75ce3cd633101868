import type { Role } from '../../src/contract/access';
import { countingTool, startHarness, type Harness } from '../helpers/harness';
import { caughtUp } from '../helpers/look-again';
import { startHttpApi, type HttpApi } from '../helpers/http-api';
import { agent, connectAgent, mcpContext } from '../helpers/mcp';
import { leftoverOf, pageText } from '../helpers/page-text';
import { signedUpdates } from '../helpers/signed-updates';
import { useLink, visitorOf } from '../helpers/sign-in';

/** Approvals of several people over HTTP and on the page. */
let harness: Harness;
let http: HttpApi;
const tool = countingTool(12);

beforeAll(async () => {
  harness = await startHarness({
    adapters: [tool.adapter],
    policies: [
      {
        name: 'roles',
        when: 'params.group == "roles"',
        require: { approvals: 2, from: ['role:approver', 'role:admin'] },
      },
      { name: 'pair', when: 'params.group == "pair"', require: { approvals: 2 } },
      {
        name: 'signed in',
        when: 'params.group == "session"',
        require: {
          approvals: 2,
          from: ['role:approver', 'person:Ada'],
          assurance: 'session',
          not_requester: true,
        },
      },
    ],
  });
  http = await startHttpApi(harness);
});
beforeEach(() => tool.touched.clear());
afterAll(async () => {
  await http?.close();
  await harness?.close();
});

const start = (group: string) => harness.start({ params: { group }, requested_by: 'Rita' });
const open = ({ next_batch }: { next_batch?: { number: number; attempt: number; digest: string } }) => {
  const { number: batch, attempt, digest } = next_batch ?? {};
  return { batch, attempt, digest };
};

it('answers 202 with who is still needed, and runs at the last approval', async () => {
  const [approver, operator] = [await http.key('approver'), await http.key('operator')];
  const asked = await start('roles');
  const path = `/v1/operations/${asked.operation_id}`;
  const decide = (key: string, body: object) => http.ask('POST', `${path}/continue`, { key, body });
  const first = await decide(approver, { ...open(asked), by: 'Anna', decision_id: 'a1' });
  expect([first.status, first.headers.get('location')]).toEqual([202, path]);
  expect(first.body).toMatchObject({
    ...{ recorded: 'approval', processed: 0 },
    approvals: {
      needed: 2,
      given: [{ by: 'Anna' }],
      still_needed: 'one of the role approver or the role admin',
    },
  });
  // A role is what the server knows of the key, whatever name is given.
  const refused = await decide(operator, { ...open(asked), by: 'Ben' });
  expect([refused.status, refused.body.code, refused.body.details.reason]).toEqual([
    403,
    'FORBIDDEN',
    'not_asked',
  ]);
  expect((await decide(approver, { ...open(asked), by: 'anna' })).body.details.reason).toBe('counted');
  const again = await decide(approver, { ...open(asked), by: 'Anna', decision_id: 'a1' });
  expect([again.status, again.body]).toEqual([202, first.body]);
  const { body: status } = await http.done('GET', path);
  expect(status.approvals.given).toMatchObject([{ by: 'Anna', assurance: 'asserted' }]);
  expect(tool.touched.size).toBe(0);
  const ran = await decide(approver, { ...open(asked), by: 'Ben' });
  expect([ran.status, ran.body.processed]).toEqual([200, 10]);
  for (const forged of [{ approver: { roles: ['admin'] } }, { signed: {} }])
    expect((await decide(operator, forged)).status).toBe(400);
  await http.done('POST', `${path}/cancel`);
});

/** A person with a browser, as the headers of their requests. */
async function signedIn(name: string, role: Role): Promise<Record<string, string>> {
  const answer = await useLink(await http.api.signInLink({ name, role }));
  const cookie = answer.headers.get('set-cookie')?.split(';')[0] ?? '';
  const { body: me } = await http.ask('GET', '/v1/me', { key: '', headers: { cookie } });
  return { cookie, 'x-batchgate-form-token': me.form_token, origin: http.url };
}

it('takes the approvals of signed-in people only, where the policy asks for that, each for one question', async () => {
  const asked = await start('session');
  const { operation_id: id } = asked;
  const path = `/v1/operations/${id}/continue`;
  const decide = (headers: Record<string, string>, body: object) =>
    http.ask('POST', path, { key: '', headers, body });
  const key = await http.key('approver');
  const named = await http.ask('POST', path, { key, body: { ...open(asked), by: 'Ada' } });
  expect([named.status, named.body.details.reason]).toEqual([403, 'assurance']);
  const [ada, eve, joe, rita] = [
    await signedIn('Ada', 'operator'),
    await signedIn('Eve', 'operator'),
    await signedIn('Joe', 'approver'),
    await signedIn('Rita', 'admin'),
  ];
  expect((await decide(eve, open(asked))).body.details.reason).toBe('not_asked');
  expect((await decide(rita, open(asked))).body.details.reason).toBe('requester');
  expect((await decide(ada, open(asked))).body.approvals.given).toMatchObject([
    { by: 'Ada', assurance: 'session' },
  ]);
  // What the history has of it decides nothing again, under no other name.
  const made = (await signedUpdates(harness, id)).findLast(({ request }) => request['by'] === 'Ada');
  const { decision_id: _, ...said } = made?.request ?? {};
  const other = { ...said, by: 'Joe' };
  await expect(
    harness.client.workflow.getHandle(id).executeUpdate('continue', { args: [other] }),
  ).rejects.toMatchObject({ cause: { type: 'FORBIDDEN' } });
  expect((await decide(joe, open(asked))).body).toMatchObject({ processed: 10 });
  const [report] = (await http.done('GET', `/v1/operations/${id}/report?format=json`)).body.rows;
  expect(report).toMatchObject({ confirmed_by: 'Ada, Joe', confirmed_assurance: 'session' });
  await http.done('POST', `/v1/operations/${id}/cancel`);
});

describe('an approver who loses the role before the last approval', () => {
  const approvers = async () => {
    const asked = await start('roles');
    const path = `/v1/operations/${asked.operation_id}`;
    const decide = (asking: object, body: object = {}) =>
      http.ask('POST', `${path}/continue`, { ...asking, body: { ...open(asked), ...body } });
    return { path, decide };
  };
  const isNotCounted = (answer: { status: number; body: any }, who: string) => {
    expect([answer.status, answer.body.processed]).toEqual([202, 0]);
    expect(answer.body.approvals).toMatchObject({ needed: 2, lost: [who] });
    expect(answer.body.approvals.given).toHaveLength(1);
    expect(tool.touched.size).toBe(0);
  };

  it('is no longer counted if the key was revoked', async () => {
    const { path, decide } = await approvers();
    const [first, second] = [await http.key('approver'), await http.key('approver')];
    expect((await decide({ key: first }, { by: 'Anna' })).status).toBe(202);
    const keys = await harness.store.access.listKeys();
    await harness.store.access.revokeKey(keys.at(-2)?.key_id ?? '');
    isNotCounted(await decide({ key: second }, { by: 'Ben' }), 'Anna');
    expect((await decide({ key: second }, { by: 'Cy' })).body).toMatchObject({ processed: 10 });
    await http.done('POST', `${path}/cancel`);
  });

  it.each<[string, Role, boolean]>([
    ['nothing that decides', 'viewer', false],
    ['a role that is not asked', 'operator', false],
    ['another role that is asked', 'admin', true],
  ])('is counted by the role of the latest sign-in: %s', async (_, role, counts) => {
    const { path, decide } = await approvers();
    const name = `Joe, ${role}`;
    const joe = await signedIn(name, 'approver');
    expect((await decide({ key: '', headers: joe })).status).toBe(202);
    await signedIn(name, role);
    const last = await decide({ key: await http.key('admin') }, { by: 'Ben' });
    if (counts) expect([last.status, last.body.processed]).toEqual([200, 10]);
    else isNotCounted(last, name);
    await http.done('POST', `${path}/cancel`);
  });

  it('is no longer counted either if a plain client of Temporal gives the last approval', async () => {
    const two = await start('pair');
    const key = await http.key('approver');
    const path = `/v1/operations/${two.operation_id}`;
    const body = { ...open(two), by: 'Anna' };
    expect((await http.ask('POST', `${path}/continue`, { key, body })).status).toBe(202);
    const keys = await harness.store.access.listKeys();
    await harness.store.access.revokeKey(keys.at(-1)?.key_id ?? '');
    const handle = harness.client.workflow.getHandle(two.operation_id);
    const last = await handle.executeUpdate<unknown, [object]>('continue', {
      args: [{ ...open(two), by: 'Ben' }],
    });
    expect(last).toMatchObject({
      ...{ recorded: 'approval', processed: 0, approvals: { lost: ['Anna'], given: [{ by: 'Ben' }] } },
    });
    await handle.signal('continue', { ...open(two), by: 'Cy' });
    for (;;) if ((await harness.status(two.operation_id)).processed === 10) break;
    await http.done('POST', `${path}/cancel`);
  });
});

it('is shown on the page, where an approver delegates', async () => {
  const { operation_id: id } = await start('session');
  const ada = await visitorOf(http);
  const { page } = await ada.visit(`/operations/${id}`);
  expect(page).toContain('Approvals: 0 of 2. Still needed: 2 of the role approver or Ada.');
  expect(page).toContain('Delegate…');
  expect(leftoverOf(page)).toBeUndefined();
  const refused = await ada.send(`/operations/${id}/delegate`, { to: 'Rita', seconds: '28800' });
  expect([refused.status, refused.page.includes('so nobody can delegate to them')]).toEqual([403, true]);
  expect((await ada.send(`/operations/${id}/delegate`, { to: 'Bea', seconds: '28800' })).status).toBe(303);
  const after = await ada.visit(`/operations/${id}`);
  expect(pageText(after.page)).toContain('Ada delegated their approval');
  expect(leftoverOf(after.page)).toBeUndefined();
  await http.done('POST', `/v1/operations/${id}/cancel`);
});

it('says in lists who has approved and who is still needed', async () => {
  const asked = await start('pair');
  const { operation_id: id } = asked;
  const listed = async () => {
    const { items } = (await http.done('GET', '/v1/operations?limit=100')).body;
    return items.find((one: { operation_id: string }) => one.operation_id === id)?.approvals;
  };
  const until = async (given: number) => {
    for (;;) {
      const approvals = await listed();
      if (approvals?.given.length === given) return approvals;
    }
  };
  expect(await until(0)).toMatchObject({ needed: 2, still_needed: '2 of those who may decide' });
  const handle = harness.client.workflow.getHandle(id);
  await handle.signal('continue', { ...open(asked), by: 'Anna' });
  expect(await until(1)).toMatchObject({
    given: [{ by: 'Anna' }],
    still_needed: 'one of those who may decide',
  });
  await handle.executeUpdate<unknown, [object]>('continue', { args: [{ ...open(asked), by: 'Ben' }] });
  expect(await until(0)).toMatchObject({ needed: 2 });
  await http.done('POST', `/v1/operations/${id}/cancel`);
});

it('shows an approver first what waits for them, and who has approved', async () => {
  const [roles, named] = [await start('roles'), await start('session')];
  const body = { ...open(roles), by: 'Anna' };
  const key = await http.key('approver');
  await http.done('POST', `/v1/operations/${roles.operation_id}/continue`, { key, body });
  /** What waits for Ada, who is named, in this role. */
  const sections = async (role: Role) => {
    const { page } = await (await visitorOf(http, role)).visit('/');
    expect(leftoverOf(page)).toBeUndefined();
    const [waiting = '', others = ''] = page.split('For others');
    expect(pageText(page)).toContain('1 of 2: Anna; needs one of the role approver or the role admin');
    return [roles, named].map(({ operation_id: id }) => [waiting.includes(id), others.includes(id)]);
  };
  await caughtUp(async () =>
    expect(await sections('operator')).toEqual([
      [false, true],
      [true, false],
    ]),
  );
  expect(await sections('approver')).toEqual([
    [true, false],
    [true, false],
  ]);
  const { page } = await (await visitorOf(http)).visit(`/operations/${roles.operation_id}`);
  const table = pageText(page.slice(page.indexOf('<caption>'), page.indexOf('</table>')));
  expect(table).toContain('1 of 2: Anna; needs one of');
  for (const { operation_id } of [roles, named])
    await http.done('POST', `/v1/operations/${operation_id}/cancel`);
});

it('takes approvers on the form of a start and of an agent', async () => {
  const ada = await visitorOf(http, 'operator');
  const fields = { group: 'all', approvers: 'person:Bea\nrole:admin' };
  const wrong = await ada.send('/start/fake/mark', { ...fields, approvers: 'Bea' });
  expect([wrong.status, wrong.page.includes('>Bea</textarea>')]).toEqual([400, true]);
  const { location } = await ada.send('/start/fake/mark', fields);
  const { body } = await http.done('GET', `/v1${location}`);
  expect(body.approvals).toMatchObject({ needed: 1, from: ['person:Bea', 'role:admin'] });
  await http.done('POST', `/v1${location}/cancel`);
  const one = await connectAgent(mcpContext(harness, [tool.adapter]), agent('a'));
  const asked = { domain: 'fake', action: 'mark', params: { group: 'roles' }, reason: 'why' };
  const narrowed = await one.call('start_bulk_operation', { ...asked, approvers: ['role:admin'] });
  expect(narrowed.isError).toBe(false);
  expect(await harness.status(narrowed.data.operation_id)).toMatchObject({
    approvals: { from: ['role:admin'] },
  });
  await http.done('POST', `/v1/operations/${narrowed.data.operation_id}/cancel`);
  const wider = await one.call('start_bulk_operation', { ...asked, approvers: ['person:eve'] });
  expect(wider.isError).toBe(true);
  await one.close();
});
