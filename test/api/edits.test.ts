import { createFakeAdapter } from '../../src/testing/fake-adapter';
import { manyItems, startHarness, type Harness } from '../helpers/harness';
import { startHttpApi, type HttpApi } from '../helpers/http-api';
import { leftoverOf } from '../helpers/page-text';
import { visitorOf, type Visitor } from '../helpers/sign-in';

/** Edits over HTTP, and with the form of the page, without a script. */
let harness: Harness;
let http: HttpApi;
let ada: Visitor;
const marks = new Map<string, string>();
const toolNamed = (toolName: string) =>
  createFakeAdapter({ toolName, marks, items: () => manyItems(7), apply: () => Promise.resolve() });

beforeAll(async () => {
  const settings = { fixed: { fixed: ['mark'] } };
  harness = await startHarness({ adapters: [toolNamed('fake'), toolNamed('fixed')], settings });
  http = await startHttpApi(harness, {
    limits: { min_batch_size: 5, max_batch_size: 20, max_total_items: 200, ...settings },
  });
  ada = await visitorOf(http);
});
afterAll(async () => {
  await http?.close();
  await harness?.close();
});
beforeEach(() => marks.clear());

const start = (domain = 'fake') =>
  harness.start({ domain, action: 'mark', params: { group: 'all', mark: 'later' }, batch_size: 5 });

describe('POST /v1/operations/{operation_id}/edit', () => {
  it('asks with another digest, and repeats its answer for the same decision', async () => {
    const { operation_id: id, next_batch } = await start();
    const body = { change: { mark: 'archive' }, digest: next_batch?.digest, decision_id: 'one', by: 'ana' };
    const first = await http.done('POST', `/v1/operations/${id}/edit`, { body });
    expect(first.body.next_batch).toMatchObject({
      number: 1,
      attempt: 2,
      change: { fields: [{ to: 'archive' }] },
    });
    const again = await http.done('POST', `/v1/operations/${id}/edit`, { body });
    expect(again.body.next_batch.digest).toBe(first.body.next_batch.digest);
    const old = await http.ask('POST', `/v1/operations/${id}/continue`, {
      body: { digest: next_batch?.digest },
    });
    expect([old.status, old.body.code]).toEqual([409, 'STALE_CONFIRMATION']);
    expect(marks.size).toBe(0);
    const { body: status } = await http.done('GET', `/v1/operations/${id}`);
    expect(status.edits).toMatchObject([{ by: 'ana', before: {}, after: { fields: [{ to: 'archive' }] } }]);
  });

  it('without a name is for the question that its sender was shown', async () => {
    const { operation_id: id } = await start();
    const body = { change: { mark: 'archive' } };
    const unseen = await http.ask('POST', `/v1/operations/${id}/edit`, { body });
    expect([unseen.status, unseen.body.code]).toEqual([409, 'QUESTION_NOT_SEEN']);
    await http.done('GET', `/v1/operations/${id}`);
    expect((await http.done('POST', `/v1/operations/${id}/edit`, { body })).body.next_batch.attempt).toBe(2);
  });

  it.each([
    ['viewer', 403],
    ['agent', 403],
    ['approver', 200],
    ['operator', 200],
  ] as const)('answers the role %s with %i', async (role, status) => {
    const { operation_id: id, next_batch } = await start();
    const body = { change: { mark: 'archive' }, digest: next_batch?.digest };
    const answer = await http.ask('POST', `/v1/operations/${id}/edit`, { key: await http.key(role), body });
    expect(answer.status).toBe(status);
  });
});

describe('the form of the page', () => {
  it('has the values of the change, keeps what was typed when it is refused, and asks again', async () => {
    const { operation_id: id, next_batch } = await start();
    const own = `/operations/${id}`;
    expect((await ada.visit(own)).page).toContain(`href="${own}/edit"`);
    const { page } = await ada.visit(`${own}/edit`);
    expect(page).toMatch(/id="field-mark"[^>]*value="later"/);
    expect(page).not.toContain('field-group');
    expect(leftoverOf(page)).toBeUndefined();
    const fields = { batch: '1', attempt: '1', digest: next_batch?.digest ?? '', decision_id: 'form' };
    const same = await ada.send(`${own}/edit`, { ...fields, mark: 'later', note: 'I mean it' });
    expect(same.status).toBe(400);
    expect(same.page).toContain('The question asks exactly that already.');
    expect(same.page).toContain('value="I mean it"');
    const sent = await ada.send(`${own}/edit`, { ...fields, mark: 'archive', note: 'I mean it' });
    expect(sent.status).toBe(303);
    const status = await harness.status(id);
    expect(status.next_batch).toMatchObject({ attempt: 2, change: { fields: [{ to: 'archive' }] } });
    expect(status.edits).toMatchObject([{ assurance: 'session', note: 'I mean it' }]);
    expect((await ada.visit(own)).page).toContain('<h3>Edits</h3>');
    const late = await ada.send(`${own}/edit`, { ...fields, decision_id: 'late', mark: 'third' });
    expect(late.status).toBe(409);
    expect(late.page).toMatch(/id="field-mark"[^>]*value="third"/);
    expect(marks.size).toBe(0);
  });

  it('shows what the operator has fixed, and offers nothing to change it', async () => {
    const { operation_id: id } = await start('fixed');
    const { page } = await ada.visit(`/operations/${id}/edit`);
    expect(page).toContain('Nothing of this change can be edited.');
    expect(page).toContain('This cannot be changed here.');
    expect(page).not.toContain('id="field-mark"');
  });
});
