import type { Mutation } from './mutation';

const SIGNATURES = { file: 'src/core/bulk/signatures.ts', tests: ['unit/signatures'] };

const PASSKEYS = { file: 'src/api/passkeys/signing.ts', tests: ['api/passkey-troubles'] };

/** The signature of a person's decision, which every client of Temporal can read and send again. */
export const SIGNATURE_MUTATIONS: readonly Mutation[] = [
  {
    ...SIGNATURES,
    name: 'signature-run',
    guards: 'a signed decision for another run under the same id',
    find: 'signed.run_id !== first_run_id',
    replace: 'false',
  },
  {
    ...SIGNATURES,
    name: 'signature-question',
    guards: 'a signed decision for another question',
    find: 'ANSWERS.has(decided.decision) && signed.question !== questionOf(state)',
    replace: 'false',
  },
  {
    ...SIGNATURES,
    name: 'signature-once',
    guards: 'a signed decision that is used twice',
    find: ': isUsed(signed, signatures)',
    replace: ': false',
  },
  {
    ...SIGNATURES,
    name: 'signature-forgotten',
    guards: 'a signed decision that was used so long ago that its mark is gone',
    find: 'if (until !== undefined && signed.at <= until) return true;',
    replace: '',
  },
  {
    ...SIGNATURES,
    name: 'signature-key',
    guards: 'a decision that another key signed',
    find: '|| !isProven({ operation_id, ...decided }, public_key))',
    replace: ')',
  },
  {
    name: 'link-session',
    guards: 'a link whose maker has signed out',
    file: 'src/api/gate-links.ts',
    find: 'if (session !== undefined && !person) throw signedOut();',
    replace: '',
    tests: ['api/gate-links'],
  },
  {
    name: 'agent-form-cancel',
    guards: 'a form that cancels after its question was answered',
    file: 'src/mcp/confirmation/form.ts',
    find: 'if (status.next_batch?.digest !== sealed.digest) return told(call, status, outcomeNow(status, sealed));',
    replace: '',
    tests: ['mcp/confirming'],
  },
  {
    ...PASSKEYS,
    name: 'passkey-owner',
    guards: 'a signature with the passkey of somebody else',
    find: "if (passkey?.subject !== subject) throw refused('it is not one of yours, or was revoked');",
    replace: "if (!passkey) throw refused('it was revoked');",
  },
  {
    ...PASSKEYS,
    name: 'passkey-decision',
    guards: 'a signature for another decision',
    find: 'if (!isSame || (later === undefined) !== (not_before === undefined)) throw otherDecision();',
    replace: '',
  },
  {
    ...PASSKEYS,
    name: 'passkey-fresh',
    guards: 'a passkey that is registered long after the sign-in',
    file: 'src/api/passkeys/registration.ts',
    tests: ['api/passkey-registration'],
    find: "if (await access.passkeys.isFresh(session)) return 'fresh';",
    replace: "return 'fresh';",
  },
];
