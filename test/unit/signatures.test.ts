import { generateKeyPairSync, sign } from 'node:crypto';
import { decisionText, type Decided } from '../../src/core/access/proof';
import type { Signed } from '../../src/contract/messages';
import type { OperationState } from '../../src/core/bulk/operation';
import { attested, withUsed } from '../../src/core/bulk/signatures';
import { planned } from './lifecycle.fixtures';

const { privateKey, publicKey } = generateKeyPairSync('ed25519');
const key = publicKey.export({ type: 'spki', format: 'der' }).subarray(-32).toString('hex');
const state: OperationState = { ...planned(25), public_key: key };

let made = 0;
/** A signed decision for the open question. */
function signedNow(
  decision: string,
  change: object = {},
  at = new Date(Date.UTC(2026, 0, 1) + made),
): Decided {
  const { operation_id, first_run_id: run_id, digest: question } = state;
  const signed = {
    run_id,
    ...(question && { question }),
    decision_id: `d${made++}`,
    at: at.toISOString(),
    ...change,
  };
  const request = { by: 'Grace', signed };
  const decided = { operation_id, decision, request };
  const proof = sign(null, Buffer.from(decisionText(decided)), privateKey).toString('hex');
  return { ...decided, request: { ...request, proof } };
}
const judged = (decided: Decided, on: OperationState = state) => {
  const { assurance, refusal } = attested(on, decided);
  return refusal?.code ?? assurance;
};

describe('the signature of a decision', () => {
  it('proves that a person signed in, for this run and the open question', () => {
    for (const decision of ['continue', 'cancel', 'complete', 'extend', 'resolve'])
      expect(judged(signedNow(decision))).toBe('session');
    for (const decision of ['continue', 'extend'])
      for (const question of ['another', undefined])
        expect(judged(signedNow(decision, { question }))).toBe('STALE_CONFIRMATION');
    for (const decision of ['continue', 'cancel', 'complete', 'extend', 'resolve'])
      expect(judged(signedNow(decision, { run_id: 'another' }))).toBe('STALE_CONFIRMATION');
  });

  it('proves nothing if any part of what it covers is changed, or another key made it', () => {
    const decided = signedNow('extend');
    const { signed } = decided.request;
    if (!signed) throw new Error('it is signed');
    for (const changed of [
      { run_id: 'another' },
      { question: 'another' },
      { decision_id: 'another' },
      { at: '2030-01-01T00:00:00.000Z' },
    ])
      expect(judged({ ...decided, request: { ...decided.request, signed: { ...signed, ...changed } } })).toBe(
        'asserted',
      );
    const { signed: _, ...unsigned } = decided.request;
    expect(judged({ ...decided, request: unsigned })).toBe('asserted');
    expect(judged(decided, { ...state, public_key: 'ab'.repeat(32) })).toBe('asserted');
  });

  it('proves a signature with a passkey, which nobody can add', () => {
    const passkey = { signature: 'signature-1' };
    expect(judged(signedNow('continue', passkey))).toBe('signed');
    const decided = signedNow('continue');
    const signed = { ...decided.request.signed, ...passkey } as Signed;
    expect(judged({ ...decided, request: { ...decided.request, signed } })).toBe('asserted');
  });

  it('is used once, also when many were used after it, in whatever order they arrive', () => {
    const all = Array.from({ length: 250 }, () => signedNow('complete'));
    const late = signedNow('complete');
    const order = [...all.slice(100), ...all.slice(0, 100)];
    const use = (before: OperationState, decided: Decided) =>
      judged(decided, before) === 'session' ? withUsed(before, decided.request) : before;
    const used = order.reduce(use, state);
    expect(new Set(all.map((one) => judged(one, used)))).toEqual(new Set(['STALE_CONFIRMATION']));
    expect(judged(late, used)).toBe('session');
    expect(used.signatures?.latest).toHaveLength(50);
  });
});
