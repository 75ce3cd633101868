import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { sql } from 'kysely';
import { INSTALLATION, type AuditKeys } from '../../src/contract/audit';
import { readAuditKeys } from '../../src/host/audit-key';
import { openStore, type Store } from '../../src/postgres/store/open';
import { startAuditor } from '../../src/worker/audit';
import { newStoreUrl, openTestStore } from '../helpers/store';
import { exported, newAuditKey, tampered, type Verified, useVerifiers } from '../helpers/audit';
import { bothStores } from '../helpers/both-stores';
import { QUESTION, runOne } from '../helpers/audited-operation';
import { items, plan } from '../helpers/ledger';

const verifiers = useVerifiers();

const kindsOf = ({ rows = [] }: Verified, chain: string) =>
  rows.filter(({ said }) => said.chain === chain).map(({ said }) => said.kind);

describe.each(bothStores())('the audit record, %s', (_, open) => {
  let store: Store;
  let keys: AuditKeys;
  beforeAll(async () => {
    store = await open();
    keys = { current: newAuditKey() };
  });
  afterAll(() => store.close());
  const trusted = () => [keys.current.public_key];

  it('has a row for each fact of an operation, once, however often it is told', async () => {
    await runOne(store, 'op-first');
    await runOne(store, 'op-first').catch(() => undefined);
    const read = await verifiers.both(await exported(store, keys), trusted());
    expect(read.failures).toEqual([]);
    expect(kindsOf(read, 'op-first')).toEqual([
      ...['planned', 'decision', 'batch', 'outcomes', 'resolved', 'decision', 'ended'],
    ]);
    const facts = (read.rows ?? [])
      .filter(({ said }) => said.chain === 'op-first')
      .map(({ said }) => said.data);
    expect(facts[1]).toMatchObject({ decision: 'continue', outcome: 'accepted', digest: QUESTION.digest });
    expect(facts[5]).toMatchObject({ outcome: 'STALE_CONFIRMATION' });
    expect(facts[3]?.items).toMatchObject([
      { index: 0, outcome: 'succeeded' },
      { index: 1, outcome: 'failed' },
    ]);
  });

  it('hides who and what it was in salted hashes, beside which the values stand', async () => {
    await runOne(store, 'op-second');
    const { rows = [] } = await verifiers.both(
      await exported(store, keys, { operation_id: 'op-second' }),
      trusted(),
    );
    const bodies = JSON.stringify(rows.map(({ said }) => said));
    for (const word of [
      'ana',
      'Bert',
      'Carla',
      'Dora',
      'Message',
      'm0',
      'Later',
      'right',
      'session-1',
      'run-of',
    ])
      expect([word, bodies.includes(word)]).toEqual([word, false]);
    const values = JSON.stringify(rows.map(({ opened }) => Object.values(opened)));
    for (const word of ['ana', 'Bert', 'Carla', 'Dora', 'Message 1 is locked.', 'Seems right.'])
      expect([word, values.includes(word)]).toEqual([word, true]);
  });

  it('exports one operation, and nothing of the others', async () => {
    const lines = await exported(store, keys, { operation_id: 'op-second' });
    const read = await verifiers.both(lines, trusted());
    expect(read.failures).toEqual([]);
    expect(lines.join()).not.toContain('op-first');
    expect([...new Set(kindsOf(read, INSTALLATION))].sort()).toEqual(['audit_key', 'checkpoint']);
    await expect(exported(store, keys, { operation_id: 'op-none' })).rejects.toMatchObject({
      code: 'NOT_FOUND',
    });
    await expect(exported(store, keys, { cursor: 'none' })).rejects.toMatchObject({ code: 'INVALID_INPUT' });
  });

  it('exports what was written in a time, in as many pages as it needs', async () => {
    await store.audit.checkpoint(keys);
    const since = new Date().toISOString();
    for (let at = 0; at < 3; at += 1) await runOne(store, `op-late-${at}`);
    const long = { kind: 'note', facts: { private: { text: 'x'.repeat(300_000) } } };
    for (let at = 0; at < 3; at += 1) await store.audit.append('op-late-1', long);
    await store.audit.checkpoint(keys);
    const page = await store.audit.export({ since }, keys);
    expect(page.next).toBeDefined();
    const read = await verifiers.both(await exported(store, keys, { since }), trusted());
    expect(read.failures).toEqual([]);
    expect(kindsOf(read, 'op-first')).toEqual([]);
    expect(kindsOf(read, 'op-late-1').slice(-3)).toEqual(['note', 'note', 'note']);
    const none = await verifiers.both(
      await exported(store, keys, { since: '2099-01-01T00:00:00.000Z' }),
      trusted(),
    );
    expect([none.failures, none.rows]).toEqual([[], []]);
    // What the next checkpoint covers is in it too.
    const until = new Date().toISOString();
    await runOne(store, 'op-between');
    await store.audit.checkpoint(keys);
    await runOne(store, 'op-after');
    const before = await verifiers.both(await exported(store, keys, { until }), trusted());
    expect([before.failures, kindsOf(before, 'op-after')]).toEqual([[], []]);
    expect(kindsOf(before, 'op-between')).toHaveLength(7);
  });

  it('has a row for each administrative act', async () => {
    const hash = 'a'.repeat(64);
    const expires_at = new Date(Date.now() + 60_000).toISOString();
    const key = await store.access.createKey({ name: 'Crm of Eve', role: 'operator', hash });
    await store.access.createKey({ name: 'Crm of Eve', role: 'operator', hash });
    await store.access.revokeKey(key.key_id);
    await store.access.keepLink({ name: 'Eve', role: 'approver', expires_at, hash });
    await store.access.openSession(hash, { name: 'Eve', role: 'approver', expires_at });
    await store.profiles.change('default', { op_max_steps: 7 });
    for (const roles of ['first', 'first', 'other', 'first'])
      await store.audit.configured({ roles, of: 'Eve' });
    const read = await verifiers.both(await exported(store, keys), trusted());
    expect(kindsOf(read, INSTALLATION).filter((kind) => !['checkpoint', 'audit_key'].includes(kind))).toEqual(
      [
        ...['key_registered', 'key_revoked', 'sign_in_link_made', 'signed_in', 'setting_changed'],
        ...['configured', 'configured', 'configured'],
      ],
    );
    expect(JSON.stringify((read.rows ?? []).map(({ said }) => said))).not.toContain('Eve');
  });

  it('goes on under a new key that the old one signed, and under no other', async () => {
    const current = newAuditKey();
    await expect(store.audit.checkpoint({ current })).rejects.toMatchObject({ code: 'NOT_CONFIGURED' });
    const old = keys.current;
    keys = { current, previous: old };
    await runOne(store, 'op-rotated');
    const lines = await exported(store, keys);
    expect((await verifiers.both(lines, [old.public_key])).failures).toEqual([]);
    expect((await verifiers.both(lines, [current.public_key])).failures).toEqual([]);
    expect((await verifiers.both(lines, [newAuditKey().public_key])).failures).not.toEqual([]);
    expect(
      (await verifiers.both(await exported(store, keys, { operation_id: 'op-rotated' }), trusted())).failures,
    ).toEqual([]);
  });

  it('forgets people by policy, and its hashes still verify', async () => {
    await runOne(store, 'op-kept');
    await store.ledger.recordPlan(plan('op-live'), items);
    const later = new Date(Date.now() + 60_000).toISOString();
    expect(await store.audit.forget({ domain: 'calendar', except: [], before: later })).toBe(0);
    expect(await store.audit.forget({ except: ['gmail'], before: later })).toBe(0);
    expect(await store.audit.forget({ domain: 'gmail', except: [], before: later })).toBeGreaterThan(3);
    expect(await store.audit.forget({ domain: 'gmail', except: [], before: later })).toBe(0);
    const { rows } = await sql<{ all: string }>`
      select string_agg(body || coalesce(opened::text, '') || coalesce(fact, ''), ' ') as all
      from batchgate.audit where chain <> '' and chain <> 'op-live'`.execute(store.db);
    for (const word of ['ana', 'Bert', 'Carla', 'Message', 'right'])
      expect([word, rows[0]?.all.includes(word)]).toEqual([word, false]);
    const lines = await exported(store, keys);
    expect((await verifiers.both(lines, trusted())).failures).toEqual([]);
    // The operation that still waits.
    expect(lines.join()).toContain('ana');
    const one = await exported(store, keys, { operation_id: 'op-kept' });
    expect((await verifiers.both(one, trusted())).failures).toEqual([]);
  });

  it('forgets the people of administrative acts after their time, by days', async () => {
    const own = await openTestStore();
    const expires_at = new Date(Date.now() + 60_000).toISOString();
    await own.access.openSession('b'.repeat(64), { name: 'Zoe', role: 'approver', expires_at });
    const inDays = (days: number) => new Date(Date.now() + days * 86_400_000).toISOString();
    const failures = async () => (await verifiers.both(await exported(own, keys))).failures;
    expect(await own.audit.forgetAdministration(inDays(0))).toBe(false);
    expect((await exported(own, keys)).join()).toContain('Zoe');
    expect(await own.audit.forgetAdministration(inDays(1))).toBe(true);
    expect(await own.audit.forgetAdministration(inDays(1))).toBe(false);
    expect((await exported(own, keys)).join()).not.toContain('Zoe');
    expect(await failures()).toEqual([]);
    await own.access.openSession('c'.repeat(64), { name: 'Zoe', role: 'approver', expires_at });
    await tampered(own, sql`update batchgate.audit set opened = null where chain = ''`);
    expect(await failures()).toEqual([expect.stringContaining('no row says that they were deleted')]);
    await own.close();
  });

  it('cannot be changed by a mistake', async () => {
    const { db } = store;
    await expect(sql`update batchgate.audit set body = body || ' '`.execute(db)).rejects.toThrow(
      'append-only',
    );
    await expect(sql`update batchgate.audit set signature = 'x'`.execute(db)).rejects.toThrow('append-only');
    await expect(sql`delete from batchgate.audit`.execute(db)).rejects.toThrow('append-only');
  });
});

it('exports a record whose key is lost up to its last checkpoint, if that is what is asked for', async () => {
  const own = await openTestStore();
  const dataDir = await mkdtemp(join(tmpdir(), 'batchgate-lost-key-'));
  const lost = newAuditKey();
  await runOne(own, 'op-covered');
  await own.audit.checkpoint({ current: lost });
  await runOne(own, 'op-later');
  const auditor = startAuditor(own.audit, { dataDir }, { warn: () => undefined });
  try {
    await expect(auditor.export({})).rejects.toMatchObject({
      code: 'NOT_CONFIGURED',
      hint: expect.stringContaining('audit export --covered') as string,
    });
    const { lines } = await auditor.export({ covered: true });
    const { current } = await readAuditKeys({ dataDir });
    const read = await verifiers.both(lines, [lost.public_key, current.public_key]);
    expect([read.failures, kindsOf(read, 'op-later')]).toEqual([[], []]);
    expect(kindsOf(read, 'op-covered')).toHaveLength(7);
    // The lost key alone does not vouch for the end of the export.
    expect((await verifiers.both(lines, [lost.public_key])).failures).toEqual([
      expect.stringContaining('a key that is not the one in force'),
    ]);
  } finally {
    await auditor.stop();
    await own.close();
    await rm(dataDir, { recursive: true, force: true });
  }
});

it('keeps a chain for each operation while many workers write and make checkpoints', async () => {
  const databaseUrl = await newStoreUrl();
  const stores = await Promise.all([1, 2, 3].map(() => openStore({ dataDir: '', databaseUrl })));
  const keys = { current: newAuditKey() };
  try {
    const ids = Array.from({ length: 24 }, (_, at) => `op-${at}`);
    const of = (at: number) => stores[at % stores.length] as Store;
    await Promise.all([
      ...ids.map((id, at) => runOne(of(at), id)),
      ...ids.map((_, at) => of(at).audit.checkpoint(keys)),
      ...ids.map((_, at) => of(at).profiles.change(`profile-${at}`, { op_max_steps: 3 })),
      ...ids.map((_, at) => of(at).audit.append('shared', { kind: 'note', facts: { at } })),
    ]);
    const read = await verifiers.both(await exported(of(0), keys), [keys.current.public_key]);
    expect(read.failures).toEqual([]);
    expect(kindsOf(read, 'shared')).toHaveLength(24);
    expect(kindsOf(read, INSTALLATION).filter((kind) => kind === 'setting_changed')).toHaveLength(24);
    for (const id of ids) expect(kindsOf(read, id)).toHaveLength(7);
  } finally {
    await Promise.all(stores.map((store) => store.close()));
  }
});
