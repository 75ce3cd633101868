import { watchOperation } from '../../src/client';
import type { Role } from '../../src/contract/access';
import { countingTool, startHarness, type Harness } from '../helpers/harness';
import { startHttpApi, type HttpApi } from '../helpers/http-api';
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
        name: 'soon',
        when: 'params.group == "soon"',
        require: { approvals: 2, from: ['role:admin'], escalate: [{ after: 1, to: ['role:operator'] }] },
      },
      {
        name: 'roles',
        when: 'params.group == "roles"',
        require: { approvals: 2, from: ['role:approver', 'role:admin'] },
      },
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

it('tells its stream when others are asked too, after a restart of the worker', async () => {
  const { operation_id: id } = await start('soon');
  await harness.restartWorker();
  for await (const event of watchOperation(harness.client, id, new AbortController().signal)) {
    if (event === 'caught_up' || !event.escalated_to) continue;
    expect(event).toMatchObject({ escalated_to: ['role:operator'], gate: { batch: 1, attempt: 1 } });
    break;
  }
  const { body } = await http.done('GET', `/v1/operations/${id}`);
  expect(body.approvals.from).toEqual(['role:admin', 'role:operator']);
  await http.done('POST', `/v1/operations/${id}/cancel`);
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
