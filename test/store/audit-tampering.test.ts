import { sql } from 'kysely';
import { exported, newAuditKey, tampered, textOf, useVerifiers } from '../helpers/audit';
import { runOne } from '../helpers/audited-operation';
import { openTestStore } from '../helpers/store';

/** A record that somebody changed who owns the database. */
const verifiers = useVerifiers();

it.each<[string, ReturnType<typeof sql>, string]>([
  [
    'a fact',
    sql`update batchgate.audit set body = replace(body, 'accepted', 'rejected') where chain = 'op-T' and seq = 2`,
    'row 2 of op-T: it was changed',
  ],
  [
    'a fact and its hash',
    sql`update batchgate.audit set body = replace(body, 'accepted', 'rejected'),
      hash = batchgate.audit_hash(replace(body, 'accepted', 'rejected')) where chain = 'op-T' and seq = 2`,
    'row 3 of op-T: it does not follow the row before it',
  ],
  [
    'a name',
    sql`update batchgate.audit set opened = replace(opened::text, 'ana', 'bob')::jsonb where chain = 'op-T' and seq = 2`,
    'row 2 of op-T: a value of it was changed',
  ],
  [
    'nothing but the names',
    sql`update batchgate.audit set opened = null where chain = 'op-T' and seq = 2`,
    'row 2 of op-T: its personal data are not there',
  ],
  [
    'a row that is gone',
    sql`delete from batchgate.audit where chain = 'op-T' and seq = 3`,
    'row 3 of op-T is missing; row 4 of op-T is in its place',
  ],
  [
    'the last rows that are gone',
    sql`delete from batchgate.audit where chain = 'op-T' and seq > 5`,
    'row 6 of op-T is missing',
  ],
  [
    'two rows that were exchanged',
    sql`update batchgate.audit set seq = case seq when 3 then -4 else -3 end where chain = 'op-T' and seq in (3, 4)`,
    'row 3 of op-T is missing',
  ],
  [
    'what a checkpoint covers',
    sql`update batchgate.audit_leaves set leaf = replace(leaf, '"op-T",1,', '"op-T",2,') where chain = 'op-T'`,
    'what it covers was changed',
  ],
  [
    'a signature',
    sql`update batchgate.audit set signature = repeat('0', 128) where kind = 'checkpoint'`,
    'its signature is forged',
  ],
])('is found to be tampered with: %s', async (name, statement, failure) => {
  const own = await openTestStore();
  try {
    const mine = { current: newAuditKey() };
    await runOne(own, 'op-T');
    await own.audit.checkpoint(mine);
    await tampered(own, statement);
    if (name.startsWith('two')) await tampered(own, sql`update batchgate.audit set seq = -seq where seq < 0`);
    const { failures } = await verifiers.both(await exported(own, mine), [mine.current.public_key]);
    expect(failures.join('\n')).toContain(failure);
  } finally {
    await own.close();
  }
});

it('is found to be put back to an earlier state by whoever has a later checkpoint', async () => {
  const own = await openTestStore();
  try {
    const mine = { current: newAuditKey() };
    await runOne(own, 'op-T');
    const [kept] = await own.audit.checkpoint(mine);
    const lines = textOf(await exported(own, mine));
    expect(verifiers.shipped(lines, [], [kept?.hash ?? '']).failures).toEqual([]);
    expect(verifiers.shipped(lines, [], ['f'.repeat(64)]).failures).toEqual([
      expect.stringContaining('no row has the hash f'),
    ]);
  } finally {
    await own.close();
  }
});
