import { createDeliveries } from '../../src/api/deliveries';
import { linkReader } from '../../src/api/pages/gate';
import { SETTLE_MS } from '../../src/core/approval/selection';
import { confirmOpen } from '../helpers/confirm';
import { countingTool, startHarness, type Harness } from '../helpers/harness';
import { startHttpApi, type HttpApi } from '../helpers/http-api';
import { useLink } from '../helpers/sign-in';

let harness: Harness;
let http: HttpApi;

beforeAll(async () => {
  harness = await startHarness({
    adapters: [countingTool(25).adapter],
    policies: [
      { name: 'named', when: 'params.group == "named"', require: { from: ['person:Cleo', 'person:Grace'] } },
      {
        name: 'roles',
        when: 'params.group == "roles"',
        require: { approvals: 2, from: ['role:approver'], not_requester: true },
      },
    ],
  });
  http = await startHttpApi(harness);
});
afterAll(async () => {
  await http?.close();
  await harness?.close();
});

/** A link to the open question, made by an admin's key unless other headers are given. */
async function linkTo(id: string, headers?: Record<string, string>, name = 'Cleo'): Promise<string> {
  const asked = { body: { name }, ...(headers && { key: '', headers }) };
  const { body } = await http.ask('POST', `/v1/operations/${id}/links`, asked);
  return body.url as string;
}

const send = (url: string, verb: string, body: URLSearchParams) =>
  fetch(`${url}/${verb}`, { method: 'POST', redirect: 'manual', body });

/** The fields of the question's form, with every item, as if a person had read it. */
async function formOf(url: string): Promise<URLSearchParams> {
  const page = await (await fetch(url)).text();
  const [, form = ''] = /class="decide"([\s\S]*?)<\/form>/.exec(page) ?? [];
  const fields = fieldsIn(form);
  const deliveries = await createDeliveries(harness.store.access);
  const digest = fields.get('digest') ?? '';
  fields.set('shown_at', deliveries.stamp(linkReader({ digest }), digest, Date.now() - SETTLE_MS));
  return fields;
}

function fieldsIn(form: string): URLSearchParams {
  const fields = new URLSearchParams();
  for (const [input] of form.matchAll(/<input[^>]*>/g)) {
    const [name = '', value = ''] = ['name', 'value'].map(
      (key) => new RegExp(`\\b${key}="([^"]*)"`).exec(input)?.[1],
    );
    fields.append(name, value);
  }
  return fields;
}

const withDecision = (fields: URLSearchParams, decision_id: string) =>
  new URLSearchParams(
    [...fields].map(([name, value]): [string, string] => [
      name,
      name === 'decision_id' ? decision_id : value,
    ]),
  );

async function signedIn(name: string): Promise<Record<string, string>> {
  const answer = await useLink(await http.api.signInLink({ name, role: 'approver' }));
  const cookie = answer.headers.get('set-cookie')?.split(';')[0] ?? '';
  const { body: me } = await http.ask('GET', '/v1/me', { key: '', headers: { cookie } });
  return { cookie, 'x-batchgate-form-token': me.form_token as string, origin: http.url };
}

it('ends a link with the session of the person who made it', async () => {
  const { operation_id: id } = await harness.start({});
  const grace = await signedIn('Grace');
  const [url, other] = [await linkTo(id, grace), await linkTo(id)];
  expect((await fetch(url)).status).toBe(200);
  const fields = await formOf(url);
  expect(await http.ask('POST', '/v1/sign-out', { key: '', headers: grace })).toMatchObject({ status: 204 });
  const late = [fetch(url), send(url, 'continue', fields), send(url, 'cancel', fields)];
  for (const { status } of await Promise.all(late)) expect(status).toBe(403);
  expect((await harness.status(id)).confirmations).toEqual([]);
  expect((await fetch(other)).status).toBe(200);
});

it('decides once by a link, and names its maker beside the decision', async () => {
  for (let round = 0; round < 5; round++) {
    const { operation_id: id } = await harness.start({});
    const url = await linkTo(id);
    const fields = await formOf(url);
    const answers = await Promise.all([
      send(url, 'continue', fields),
      send(url, 'cancel', fields),
      send(url, 'continue', withDecision(fields, 'another')),
    ]);
    expect(answers.map(({ status }) => status).sort()).toEqual([303, 409, 409]);
    const accepted = (await harness.status(id)).confirmations.filter(({ outcome }) => outcome === 'accepted');
    expect(accepted).toMatchObject([{ by: 'Cleo', note: 'by a link that the admin made' }]);
  }
});

it('shows and decides nothing of a later run under the same id', async () => {
  const { operation_id: id } = await harness.start({});
  const url = await linkTo(id);
  const fields = await formOf(url);
  const handle = harness.client.workflow.getHandle(id);
  await http.ask('POST', `/v1/operations/${id}/cancel`);
  await handle.result();
  const input = { domain: 'fake', action: 'mark', params: { group: 'all' } };
  await harness.client.workflow.start('bulkOperation', {
    ...{ workflowId: id, taskQueue: harness.taskQueue, args: [input] },
  });
  await handle.executeUpdate('ready');
  expect((await send(url, 'cancel', fields)).status).toBe(409);
  expect((await send(url, 'continue', fields)).status).toBe(409);
  await confirmOpen(harness.client, id, { by: 'Somebody else' });
  const page = await (await fetch(url)).text();
  expect(page).toContain('The question of this link is answered');
  expect(page).not.toMatch(/Somebody else|Item \d/);
  const { processed, state } = await harness.status(id);
  expect([processed, state]).toEqual([10, 'awaiting_confirmation']);
});

it('takes the confirmation of its question back until its batch begins, and answers no other question', async () => {
  const { operation_id: id } = await harness.start({});
  const url = await linkTo(id);
  const early = await send(url, 'withdraw', new URLSearchParams({ decision_id: 'early' }));
  expect(early.status).toBe(409);
  const fields = await formOf(url);
  fields.set('later', '3600');
  expect((await send(url, 'continue', fields)).status).toBe(303);
  const page = await (await fetch(url)).text();
  expect(page).toContain('Batch 1 of 3 runs at');
  const [, form = ''] = /\/withdraw"([\s\S]*?)<\/form>/.exec(page) ?? [];
  for (let times = 0; times < 2; times++)
    expect((await send(url, 'withdraw', fieldsIn(form))).status).toBe(303);
  const { state, next_batch, confirmations } = await harness.status(id);
  expect([state, next_batch?.attempt]).toEqual(['awaiting_confirmation', 2]);
  expect(confirmations.filter(({ decision }) => decision === 'withdraw')).toMatchObject([
    { outcome: 'accepted', by: 'Cleo', note: 'by a link that the admin made', door: 'link' },
  ]);
  const after = await (await fetch(url)).text();
  expect(after).toContain('took the confirmation back');
  expect(after).not.toMatch(/Item \d/);
  expect((await send(url, 'continue', withDecision(fields, 'again'))).status).toBe(409);
  // What somebody else schedules is not this link's to take back.
  const not_before = new Date(Date.now() + 3_600_000).toISOString();
  await confirmOpen(harness.client, id, { not_before });
  expect((await send(url, 'withdraw', withDecision(fieldsIn(form), 'other'))).status).toBe(409);
  expect((await harness.status(id)).state).toBe('scheduled');
  expect(await (await fetch(url)).text()).not.toMatch(/Item \d/);
});

it('is never the yes of a person whom a policy names, and counts for its maker alone', async () => {
  const [grace, rita] = [await signedIn('Grace'), await signedIn('Rita')];
  const start = async (group: string) =>
    (await harness.start({ params: { group }, requested_by: 'Rita' })).operation_id;
  const answer = async (url: string) => {
    const answered = await send(url, 'continue', await formOf(url));
    return [answered.status, answered.status === 303 ? '' : await answered.text()] as const;
  };
  const named = await start('named');
  for (const url of [await linkTo(named), await linkTo(named, grace)]) {
    const [status, page] = await answer(url);
    expect([status, page]).toEqual([403, expect.stringContaining('answers by a link')]);
  }
  const id = await start('roles');
  const key = await http.key('approver');
  const keyId = (await harness.store.access.listKeys()).at(-1)?.key_id ?? '';
  expect((await answer(await linkTo(id, rita)))[0]).toBe(403);
  expect((await answer(await linkTo(id)))[0]).toBe(403);
  expect(await answer(await linkTo(id, { authorization: `Bearer ${key}` }, 'Eve'))).toEqual([303, '']);
  await harness.store.access.revokeKey(keyId);
  expect(await answer(await linkTo(id, grace))).toEqual([303, '']);
  const { approvals, processed } = await harness.status(id);
  expect([processed, approvals]).toMatchObject([
    0,
    { given: [{ by: 'Cleo', for: 'Grace', assurance: 'asserted' }], lost: ['Eve'] },
  ]);
  const [again, page] = await answer(await linkTo(id, grace, 'Dora'));
  expect([again, page]).toEqual([403, expect.stringContaining('has approved this question already')]);
  const other = { authorization: `Bearer ${await http.key('approver')}` };
  expect((await answer(await linkTo(id, other, 'Fay')))[0]).toBe(303);
  while ((await harness.status(id)).processed < 10);
  for (const open of [named, id]) await http.done('POST', `/v1/operations/${open}/cancel`);
});
