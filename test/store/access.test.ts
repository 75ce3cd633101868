import { randomUUID } from 'node:crypto';
import type { Store } from '../../src/postgres/store/open';
import { openTestStore } from '../helpers/store';

let store: Store;
beforeAll(async () => void (store = await openTestStore()));
afterAll(() => store?.close());

const hash = () => randomUUID().replaceAll('-', '').padEnd(64, '0');
const at = (ms: number) => new Date(Date.now() + ms).toISOString();
const [past, future] = [at(-1_000), at(60_000)];

it('finds a key until it expires or is revoked, by its hash and by its id', async () => {
  const { access } = store;
  const key = { name: 'crm', role: 'operator' as const };
  const [lasting, over] = [hash(), hash()];
  const { key_id } = await access.createKey({ ...key, hash: lasting, expires_at: future });
  const old = await access.createKey({ ...key, hash: over, expires_at: past });
  expect(await access.findKey(lasting)).toMatchObject({ key_id, role: 'operator' });
  expect(await access.findKeyById(key_id)).toMatchObject({ key_id, role: 'operator' });
  expect(await access.findKeyById(old.key_id)).toBeUndefined();
  expect([await access.findKey(over), await access.findKey(hash()), await access.findKey('')]).toEqual([
    undefined,
    undefined,
    undefined,
  ]);
  await access.revokeKey(key_id);
  expect([await access.findKey(lasting), await access.findKeyById(key_id)]).toEqual([undefined, undefined]);
  expect(await access.findKeyById('none')).toBeUndefined();
});

it('signs in by a link once, and not after its time', async () => {
  const { access } = store;
  const person = { name: 'Ada', role: 'approver' as const };
  const [link, late] = [hash(), hash()];
  await access.keepLink({ ...person, hash: late, expires_at: past });
  await access.keepLink({ ...person, hash: link, expires_at: future });
  expect([await access.findLink(late), await access.takeLink(late)]).toEqual([undefined, undefined]);
  expect(await access.findLink(link)).toEqual(person);
  const takes = await Promise.all([1, 2, 3].map(() => access.takeLink(link)));
  expect(takes.filter((one) => one !== undefined)).toEqual([person]);
  expect([await access.findLink(link), await access.takeLink(link)]).toEqual([undefined, undefined]);
});

it('knows a session until it is closed or its time is over, and returns an attempt to sign in once', async () => {
  const { access } = store;
  const person = { name: 'Ada', role: 'approver' as const };
  const [session, late, tried] = [hash(), hash(), hash()];
  await access.openSession(session, { ...person, expires_at: future });
  await access.openSession(late, { ...person, expires_at: past });
  expect(await access.findSession(session)).toMatchObject(person);
  expect(await access.findSession(late)).toBeUndefined();
  await access.closeSession(session);
  expect(await access.findSession(session)).toBeUndefined();
  const attempt = { state: 's', nonce: 'n', code_verifier: 'v', return_to: '/', expires_at: future };
  await access.keepAttempt(tried, attempt);
  expect(await access.takeAttempt(tried)).toEqual(attempt);
  expect(await access.takeAttempt(tried)).toBeUndefined();
});

it('keeps the first request and the first answer of a key, for each sender apart', async () => {
  const { access } = store;
  const first = { digest: 'a', reference: 'bulk-1' };
  const other = { digest: 'b', reference: 'bulk-2' };
  expect(await access.rememberRequest('ada', 'k', first)).toEqual(first);
  expect(await access.rememberRequest('ada', 'k', other)).toEqual(first);
  expect(await access.rememberRequest('bob', 'k', other)).toEqual(other);
  await access.rememberAnswer('ada', 'k', { said: 1 });
  await access.rememberAnswer('ada', 'k', { said: 2 });
  expect(await access.rememberRequest('ada', 'k', other)).toMatchObject({ ...first, answer: { said: 1 } });
});

it('knows the role and the groups of keys and of the latest sign-ins of people, at once and in their order', async () => {
  const { access } = store;
  const key = { name: 'crm', role: 'approver' as const };
  const [valid, revoked] = [
    await access.createKey({ ...key, hash: hash() }),
    await access.createKey({ ...key, hash: hash() }),
  ];
  await access.revokeKey(revoked.key_id);
  const signIn = (person: {
    name: string;
    role: 'viewer' | 'operator';
    subject?: string;
    groups?: string[];
  }) => access.openSession(hash(), { ...person, expires_at: at(60_000) });
  await signIn({ name: 'Eve', role: 'operator' });
  await signIn({ name: 'Eve', role: 'viewer' });
  await signIn({ name: 'Eve', role: 'operator', subject: 'e-1', groups: ['finance'] });
  const people = [
    { subject: 'https://id.example.com|e-1' },
    { subject: 'crm', key: revoked.key_id },
    { subject: 'nobody' },
    { subject: 'Eve' },
    // A key is what it is, whoever is signed in under its name.
    { subject: 'Eve', key: valid.key_id },
    { subject: 'Eve', key: 'none' },
  ];
  const standings = [
    { role: 'operator', groups: ['finance'] },
    'gone',
    'unknown',
    { role: 'viewer', groups: [] },
    { role: 'approver', groups: [] },
    'gone',
  ];
  expect(await access.standingsOf(people)).toEqual(standings);
  expect(await access.standingsOf(people.toReversed())).toEqual(standings.toReversed());
  expect(await access.standingsOf([])).toEqual([]);
});
