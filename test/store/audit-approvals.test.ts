import { generateKeyPairSync } from 'node:crypto';
import type { AuditRecord } from '../../src/contract/audit';
import type { CountedApproval } from '../../src/contract/counted-approvals';
import type { Requirement } from '../../src/contract/policy';
import type { FrozenItem } from '../../src/contract/items';
import { canonicalJson, digestOf } from '../../src/core/shared/canonical';
import { questionTree, sealedText, treeDigest } from '../../src/core/bulk/seal';
import type { Store } from '../../src/postgres/store/open';
import { exported, newAuditKey, useVerifiers } from '../helpers/audit';
import { QUESTION } from '../helpers/audited-operation';
import { createAuthenticator } from '../helpers/authenticator';
import { AT, claimOf, confirmed, items, plan } from '../helpers/ledger';
import { openTestStore } from '../helpers/store';

/** Batches that ran on less than their policy requires: a faulty product, or one that somebody changed, did that. */
const verifiers = useVerifiers();
const keys = { current: newAuditKey() };
const ORIGIN = 'https://batchgate.example.com';
const device = createAuthenticator(ORIGIN);
const FROZEN = items.slice(0, 2).map((item): FrozenItem & { index: number } => ({
  ...{ ...item, salt: `salt ${item.index}` },
  preview: { before: { label: 'Inbox' }, after: { label: 'Later' } },
}));
let store: Store;
beforeAll(async () => {
  store = await openTestStore();
  const own = { passkey_id: device.passkey_id, cose_key: '', counter: 0, transports: [], label: 'Phone' };
  await store.access.passkeys.addPasskey({ ...own, subject: 'id|anna', by: 'Anna', public_key: publicKey });
});
afterAll(() => store.close());

const publicKey = (() => {
  const { x, y } = device.key.export({ format: 'jwk' });
  const point = Buffer.concat([Buffer.of(4), ...[x, y].map((part) => Buffer.from(part ?? '', 'base64url'))]);
  const head = '3059301306072a8648ce3d020106082a8648ce3d030107034200';
  return Buffer.concat([Buffer.from(head, 'hex'), point]).toString('base64');
})();

const REQUIREMENT: Requirement = {
  ...{ policy: 'two', approvals: 2, from: ['group:finance', 'person:Carl'], not_requester: true },
  ...{ distinct: true, assurance: 'session', on_refusal: 'cancel' },
  escalate: [{ after_seconds: 60, to: ['role:admin'] }],
};
type Given = Omit<CountedApproval, 'digest'> & { digest?: string };
const approval = (by: string, more: Partial<Given> = {}): Given => ({
  ...{
    by,
    subject: `id|${by.toLowerCase()}`,
    groups: ['finance'],
    at: AT,
    via: 'update',
    assurance: 'session',
  },
  ...more,
});
const [ANNA, BERT] = [approval('Anna'), approval('Bert')];

interface Case {
  approvals?: Given[] | undefined;
  asked_since?: string;
  need?: Partial<Requirement>;
  /** What the plan says of it, if that is something else. */
  planned?: Requirement | undefined;
  /** What Anna's passkey signed, and under which name. */
  signing?: { decision?: object; subject?: string; origin?: string; verified?: boolean; forged?: boolean };
  changed?: object;
}

/** What both verifiers say of a batch that ran on this. */
async function failuresOf(id: string, given: Case): Promise<string> {
  const requirement = { ...REQUIREMENT, ...given.need };
  const { context, change, run_id, ...rest } = plan(id);
  const asked = { operation_id: id, run_id, batch: 1, attempt: 1, context, change, requirement };
  const tree = questionTree({ ...asked, items: FROZEN });
  const digest = treeDigest(tree);
  const terms = { policy: 'planned' in given ? { requirement: given.planned } : { requirement } };
  const requester = { requested_by: 'Rita', requested_subject: 'id|rita' };
  await store.ledger.recordPlan({ ...rest, ...requester, context, change, run_id, terms }, FROZEN);
  const question = { operation: id, run: run_id, batch: 1, attempt: 1, digest, decision: 'continue' };
  if (given.signing) await sign(id, { ...question, excluded: [], ...given.signing.decision }, given.signing);
  const approvals = 'approvals' in given ? given.approvals : [ANNA, BERT];
  await store.ledger.claim(claimOf(id), {
    ...{ items: FROZEN, skipped: [], deadline: 1_000 },
    frozen: FROZEN.map((item) => ({ index: item.index, frozen: sealedText({ ...item, ...given.changed }) })),
    confirmed: {
      ...{ ...confirmed, question: { ...QUESTION, digest, tree } },
      ...(approvals && { approvals: approvals.map((one) => ({ digest, ...one })) }),
      ...(given.asked_since !== undefined && { asked_since: given.asked_since }),
    },
  });
  const lines = await exported(store, keys, { operation_id: id });
  return (await verifiers.both(lines, [keys.current.public_key])).failures.join('\n');
}

async function sign(id: string, decided: object, signing: NonNullable<Case['signing']>): Promise<void> {
  const { subject = 'id|anna', origin = ORIGIN, verified = true, forged = false } = signing;
  const decision = canonicalJson({ ...decided, time: AT, nonce: 'nonce' });
  const challenge = Buffer.from(digestOf(JSON.parse(decision)), 'hex').toString('base64url');
  const key = forged ? generateKeyPairSync('ec', { namedCurve: 'P-256' }).privateKey : device.key;
  const answer = device.sign({ challenge, rpId: 'batchgate.example.com' }, { key, verified });
  const { response } = JSON.parse(answer) as { response: Record<string, string> };
  await store.access.passkeys.keepSignature(
    {
      ...{ signature_id: `signature of ${id}`, operation_id: id, decision, challenge, subject, by: 'Anna' },
      ...{ passkey_id: device.passkey_id, public_key: publicKey, rp_id: 'batchgate.example.com', origin },
      authenticator_data: response['authenticatorData'] ?? '',
      client_data_json: response['clientDataJSON'] ?? '',
      ...{ signature: response['signature'] ?? '', decision_id: id, signed_at: AT },
    },
    0,
  );
}

const signedBy = (id: string) => approval('Anna', { assurance: 'signed', signature: `signature of ${id}` });
const SIGNED = { need: { approvals: 1, assurance: 'signed' as const } };
const FOR_DORA = { by: 'Dora', subject: 'id|dora', groups: ['finance'], until: '2026-11-21T13:00:00.000Z' };
const stranger = approval('Eve', { groups: ['tennis'] });
const admin = approval('Eve', { groups: [], roles: ['admin'] });

it.each<[string, Case]>([
  ['two of a group', {}],
  ['somebody who is named', { approvals: [ANNA, approval('Carl', { groups: [] })] }],
  ['an admin who was asked later', { approvals: [ANNA, admin], asked_since: '2026-11-21T11:59:00.000Z' }],
  ['somebody in place of another', { approvals: [ANNA, { ...stranger, for: FOR_DORA }] }],
  ['the same name from one issuer', { approvals: [ANNA, approval('Anna', { subject: 'id|anna-2' })] }],
  ['one person twice, if it may', { approvals: [ANNA, ANNA], need: { distinct: false } }],
  ['a passkey', { ...SIGNED, approvals: [signedBy('a passkey')], signing: {} }],
])('takes the approvals of %s', async (id, given) => {
  expect([id, await failuresOf(id, given)]).toEqual([id, '']);
});

it.each<[string, Case, string]>([
  ['too few', { approvals: [ANNA] }, 'it has 1 of 2 approvals'],
  ['none', { approvals: undefined }, 'its approvals are not in the record'],
  ['another question', { approvals: [ANNA, { ...BERT, digest: 'e'.repeat(64) }] }, 'is of another question'],
  ['the requester', { approvals: [ANNA, approval('Rita')] }, 'the approval by "Rita" is by the requester'],
  ['the requester elsewhere', { approvals: [ANNA, approval('RITA ', { subject: 'x' })] }, 'the requester'],
  [
    'in place of the requester',
    { approvals: [ANNA, { ...stranger, for: { ...FOR_DORA, by: 'Rita', subject: 'id|rita' } }] },
    'is by the requester',
  ],
  ['one person twice', { approvals: [ANNA, approval('anna', { subject: 'x' })] }, 'is counted already'],
  [
    'one person in place of another',
    { approvals: [ANNA, { ...stranger, for: { ...FOR_DORA, by: 'Anna', subject: 'id|anna' } }] },
    'is counted already',
  ],
  ['a stranger', { approvals: [ANNA, stranger] }, 'is by nobody of those who may approve'],
  ['an admin too early', { approvals: [ANNA, admin], asked_since: AT }, 'is by nobody of those'],
  ['an admin who was not asked', { approvals: [ANNA, admin] }, 'is by nobody of those'],
  ['for a stranger', { approvals: [ANNA, { ...BERT, for: { ...FOR_DORA, groups: [] } }] }, 'is by nobody'],
  [
    'after a delegation',
    { approvals: [ANNA, { ...BERT, for: { ...FOR_DORA, until: AT } }] },
    'is later than',
  ],
  ['less assurance', { approvals: [ANNA, approval('Bert', { assurance: 'platform' })] }, 'session is needed'],
  ['another requirement', { planned: { ...REQUIREMENT, approvals: 3 } }, 'its requirement is not the one'],
  ['no requirement', { planned: undefined }, 'its requirement is not the one'],
  [
    'another item',
    { changed: { preview: { after: { label: 'Archive' } } } },
    'are not those that were confirmed',
  ],
])('names approvals that do not suffice: %s', async (id, given, failure) => {
  expect(await failuresOf(id, given)).toContain(failure);
});

it.each<[string, Case['signing'], string]>([
  ['no signature', undefined, 'its signature is not in the record'],
  ['a forged signature', { forged: true }, 'its signature is forged'],
  ['another page', { origin: 'https://evil.example' }, 'the passkey was asked something else'],
  ['an unknown holder', { verified: false }, 'the device did not check who it is'],
  ['another person', { subject: 'id|bert' }, 'another person signed it'],
  ['another batch', { decision: { batch: 2 } }, 'something else was signed'],
  ['another run', { decision: { run: 'run-2' } }, 'something else was signed'],
  ['other items', { decision: { excluded: ['m1'] } }, 'something else was signed'],
])('names a signature that does not suffice: %s', async (id, signing, failure) => {
  const found = await failuresOf(id, { ...SIGNED, approvals: [signedBy(id)], ...(signing && { signing }) });
  expect(found).toContain(failure);
});

it.each<[string, AuditRecord, string]>([
  [
    'a batch that nobody confirmed',
    { kind: 'batch', facts: { batch: 1, attempt: 2, epoch: 3, digest: 'd'.repeat(64), items: [] } },
    'no accepted decision confirms this batch',
  ],
  ...Object.entries({
    'another value': { before: { label: 'Inbox' }, after: { label: 'Archive' } },
    'another item': { id: 'm9' },
  }).map(([what, own]): [string, AuditRecord, string] => [
    `an outcome of ${what}`,
    {
      kind: 'outcomes',
      facts: {
        ...{ batch: 1, epoch: 1 },
        items: [
          { index: 0, outcome: 'succeeded', private: { ...FROZEN[0]?.preview, id: FROZEN[0]?.id, ...own } },
        ],
      },
    },
    'item 0 is not as it was confirmed',
  ]),
])('names %s', async (id, record, failure) => {
  expect(await failuresOf(id, {})).toBe('');
  await store.audit.append(id, record);
  const lines = await exported(store, keys, { operation_id: id });
  expect((await verifiers.both(lines)).failures).toEqual([expect.stringContaining(failure)]);
});

it('finds a signature of a passkey that the person did not have, or no longer had', async () => {
  const own = await openTestStore();
  const before = store;
  try {
    store = own;
    await failuresOf('never registered', { ...SIGNED, approvals: [signedBy('never registered')] });
    const add = (subject: string) =>
      own.access.passkeys.addPasskey({
        ...{ passkey_id: device.passkey_id, cose_key: '', counter: 0, transports: [], label: 'Phone' },
        ...{ subject, by: 'Anna', public_key: publicKey },
      });
    expect(await add('id|bert')).toBe(true);
    await failuresOf('of Bert', { ...SIGNED, approvals: [signedBy('of Bert')], signing: {} });
    const { failures, rows = [] } = await verifiers.both(await exported(own, keys));
    expect(failures.join('\n')).toContain(
      'row 2 of of Bert: it is by a passkey that this person did not have then',
    );
    expect(await own.access.passkeys.revokePasskey(device.passkey_id)).toBe(true);
    const kinds = (await verifiers.both(await exported(own, keys))).rows?.map(({ said }) => said.kind) ?? [];
    expect([rows.length < kinds.length, kinds.filter((kind) => kind.startsWith('passkey_'))]).toEqual([
      true,
      ['passkey_registered', 'passkey_revoked'],
    ]);
  } finally {
    store = before;
    await own.close();
  }
});
