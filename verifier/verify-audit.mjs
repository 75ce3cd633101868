#!/usr/bin/env node
// Verifies an export of the audit record of batchgate, after docs/audit-format.md. One file, nothing but Node 18 or newer:
//
//   node verify-audit.mjs EXPORT [--key PUBLIC_KEY]... [--has HASH]... [--item ITEM_ID]... [--claim FILE]... [--proof FILE]...
//
// PUBLIC_KEY: the installation's key, in hex, as you got it from somebody whom you trust. HASH: of a row, such as a
// checkpoint, that you got earlier and that must still be there. ITEM_ID: shows what the verified export says of an item.
// --claim: a claim about an item that the export must show. --proof: what `report ID --proof ITEM` wrote, which must be
// about a batch of the export. Exit code 0: everything is as it was written. 1: something is not, and every line says what.
import { createHash, createPublicKey, verify } from 'node:crypto';
import { readFileSync, realpathSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

const sha256 = (...parts) => {
  const hash = createHash('sha256');
  for (const part of parts) hash.update(part);
  return hash.digest();
};
const hex = (text) => sha256(text).toString('hex');
const isHash = (value) => typeof value === 'string' && /^[0-9a-f]{64}$/.test(value);

/** Ed25519, over the text that stands for the hash of a line. */
function isSigned({ hash, public_key, signature }) {
  if (!isHash(public_key) || typeof signature !== 'string' || !/^[0-9a-f]{128}$/.test(signature))
    return false;
  const der = Buffer.from(`302a300506032b6570032100${public_key}`, 'hex');
  const key = createPublicKey({ key: der, format: 'der', type: 'spki' });
  return verify(null, Buffer.from(`batchgate-audit\n${hash}`), key, Buffer.from(signature, 'hex'));
}

// The tree of RFC 9162, section 2.1.
const leafHash = (text) => sha256(Buffer.of(0), Buffer.from(text));
const nodeHash = (left, right) => sha256(Buffer.of(1), left, right);

function rootOf(hashes) {
  if (hashes.length === 0) return sha256('');
  if (hashes.length === 1) return hashes[0];
  let split = 1;
  while (split * 2 < hashes.length) split *= 2;
  return nodeHash(rootOf(hashes.slice(0, split)), rootOf(hashes.slice(split)));
}
const rootOfTexts = (texts) => rootOf(texts.map(leafHash)).toString('hex');

function rootOfProof({ leaf, at, size, path }) {
  if (!(Number.isInteger(at) && Number.isInteger(size) && at >= 0 && at < size)) return undefined;
  if (typeof leaf !== 'string' || !Array.isArray(path) || !path.every(isHash)) return undefined;
  let [hash, node, last] = [leafHash(leaf), at, size - 1];
  for (const beside of path.map((text) => Buffer.from(text, 'hex'))) {
    if (last === 0) return undefined;
    if (node % 2 === 1 || node === last) {
      hash = nodeHash(beside, hash);
      while (node % 2 === 0 && node !== 0) [node, last] = [Math.floor(node / 2), Math.floor(last / 2)];
    } else hash = nodeHash(hash, beside);
    [node, last] = [Math.floor(node / 2), Math.floor(last / 2)];
  }
  return last === 0 ? hash.toString('hex') : undefined;
}

/** The hashes of the values that stand beside a row. */
function sealedIn(value, found = new Set()) {
  if (Array.isArray(value)) for (const entry of value) sealedIn(entry, found);
  else if (value !== null && typeof value === 'object')
    for (const [name, member] of Object.entries(value))
      if (name === 'sealed' && isHash(member)) found.add(member);
      else sealedIn(member, found);
  return found;
}

/** The sealed values beside a row; undefined if they were deleted. */
const valuesOf = (opened = {}, sealed) =>
  sealed === undefined ? {} : opened[sealed] && JSON.parse(opened[sealed])[1];
const shown = (value) => (value === undefined ? 'not known' : JSON.stringify(value));
const same = (one, other) => canonical(one) === canonical(other);
const canonical = (value) =>
  JSON.stringify(value, (_, inner) =>
    inner === null || typeof inner !== 'object' || Array.isArray(inner)
      ? inner
      : Object.fromEntries(
          Object.keys(inner)
            .sort()
            .map((name) => [name, inner[name]]),
        ),
  );

const ASSURANCES = ['asserted', 'platform', 'session', 'signed'];
const isLess = (one, other) => ASSURANCES.indexOf(one) < ASSURANCES.indexOf(other);
const folded = (name = '') => name.normalize('NFKC').trim().toLowerCase();
const issuerOf = (subject = '') => /^(.*)\|/s.exec(subject)?.[1];

/** Two identities may be one person, unless one issuer says that they are two. */
function isSamePerson(one, other) {
  if (one.subject === other.subject) return true;
  const issuer = issuerOf(one.subject);
  return !(issuer !== undefined && issuer === issuerOf(other.subject)) && folded(one.by) === folded(other.by);
}
const peopleIn = (approval) => [approval, ...(approval.for ? [approval.for] : [])];

/** Who answers by a link is nobody by name. */
function isNamed(names, { for: other, door, ...approver }) {
  const { subject, by, groups = [], roles = [] } = other ?? approver;
  const own = door === 'link' ? [] : [subject, by].map((one) => `person:${one}`);
  return names.some((name) =>
    [...own, ...groups.map((one) => `group:${one}`), ...roles.map((one) => `role:${one}`)].includes(name),
  );
}

/** Why the approvals of a batch are not those that its requirement asks for. */
function* unmet(need, { approvals, asked_since }, { digest, requester, signature }) {
  if (!Array.isArray(approvals)) return yield 'its approvals are not in the record';
  for (const [place, one] of approvals.entries()) {
    const name = `the approval by ${shown(one.by)}`;
    const late = (need.escalate ?? []).filter(
      (step) => Date.parse(one.at) >= Date.parse(asked_since) + step.after_seconds * 1_000,
    );
    const is = (other) => peopleIn(one).some((person) => isSamePerson(person, other));
    if (one.digest !== digest) yield `${name} is of another question`;
    if (need.not_requester && requester && is(requester)) yield `${name} is by the requester`;
    if (need.distinct && approvals.slice(0, place).some((other) => peopleIn(other).some(is)))
      yield `${name} is by a person who is counted already`;
    if (need.from.length > 0 && !isNamed([...need.from, ...late.flatMap(({ to }) => to)], one))
      yield `${name} is by nobody of those who may approve`;
    if (one.for && !(Date.parse(one.at) < Date.parse(one.for.until)))
      yield `${name} is later than its delegation`;
    if (isLess(one.assurance, need.assurance))
      yield `${name} is ${one.assurance}, and ${need.assurance} is needed`;
    if (one.assurance === 'signed') yield* signature(one).map((what) => `${name}: ${what}`);
  }
  if (approvals.length < need.approvals) yield `it has ${approvals.length} of ${need.approvals} approvals`;
}

/** Why a passkey did not sign what its row says: WebAuthn, over the SHA-256 of the decision; undefined if it did. */
function forgery({ decision, challenge, public_key, rp_id, origin, ...answer }) {
  const [data, client, signature] = ['authenticator_data', 'client_data_json', 'signature'].map((name) =>
    Buffer.from(answer[name], 'base64url'),
  );
  const asked = JSON.parse(client.toString());
  if (sha256(decision).toString('base64url') !== challenge)
    return 'its challenge is not that of the decision';
  if (asked.type !== 'webauthn.get' || asked.challenge !== challenge || asked.origin !== origin)
    return 'the passkey was asked something else';
  if (!data.subarray(0, 32).equals(sha256(rp_id)) || (data[32] & 5) !== 5)
    return 'the device did not check who it is';
  const key = createPublicKey({ key: Buffer.from(public_key, 'base64'), format: 'der', type: 'spki' });
  const hash = key.asymmetricKeyType === 'ed25519' ? null : 'sha256';
  if (!verify(hash, Buffer.concat([data, sha256(client)]), key, signature)) return 'its signature is forged';
}

const sealOf = (frozen) => sha256(frozen).toString('base64url').slice(0, 32);

/** A line as it is printed: invisible characters, line breaks and terminal commands in the texts of others by their code. */
const visible = (line) =>
  line.replace(/[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}]/gu, (one) => {
    const code = one.codePointAt(0).toString(16).toUpperCase();
    return `‹U+${code.padStart(4, '0')}›`;
  });
const print = (line) => console.log(visible(line));

const nameOf = (chain, seq) => `row ${seq} of ${chain === '' ? 'the installation' : chain}`;

/** Whether outcomes are those of a run of a batch: of the run itself, or found after it died. */
const isOf = (run, { batch, epoch }) => run?.batch === batch && [epoch, epoch - 1].includes(run.epoch);
const keyOf = ({ batch, attempt, digest }) => JSON.stringify([batch, attempt, digest]);

/** Why an approval is not signed for its question. */
function unsigned(signature, { subject }, question, excluded) {
  if (!signature) return ['its signature is not in the record'];
  const { excluded: without, ...said } = JSON.parse(signature.decision);
  const isIts = Object.entries(question).every(([member, value]) => said[member] === value);
  return [
    ...(signature.subject === subject ? [] : ['another person signed it']),
    ...(isIts && same([...without].sort(), excluded.sort()) ? [] : ['something else was signed']),
  ];
}

/** The rest of an export is not looked at. */
class Stop extends Error {}

class Verifier {
  failures = [];
  notes = [];
  rows = [];
  /** The last row of each chain, and the leaves whose rows follow. */
  chains = new Map();
  pending = [];
  /** What may be missing beside a row, and up to which row of a chain it was deleted. */
  closed = [];
  deleted = new Map();
  /** Of each operation: its plan, accepted confirmations, signatures, and the batch that ran last with its items. */
  operations = new Map();
  passkeys = new Map();
  key;
  firstKey;
  line = 0;

  constructor(trusted, earlier) {
    this.trusted = trusted;
    this.earlier = new Set(earlier);
  }

  fail(what, name = '') {
    this.failures.push(`line ${this.line}${name && `, ${name}`}: ${what}`);
  }

  stop(what, name) {
    this.fail(what, name);
    throw new Stop();
  }

  verify(text) {
    const lines = text.split('\n');
    if (lines.at(-1) === '') lines.pop();
    try {
      this.begin(lines.shift());
      for (const line of lines) this.next(line);
      this.line++;
      this.end();
    } catch (error) {
      if (!(error instanceof Stop)) this.fail(`it cannot be read: ${error.message}`);
      this.failures.push('nothing after that was looked at');
    }
    return this;
  }

  /** A line whose hash is that of its body, with what the body says. */
  read(text, name) {
    this.line++;
    try {
      const line = JSON.parse(text);
      const said = JSON.parse(line.body);
      if (said === null || typeof said !== 'object') throw new Error('no object');
      if (hex(line.body) !== line.hash) this.fail('it was changed: its hash is not that of its body', name);
      return { line, said };
    } catch (error) {
      if (error instanceof Stop) throw error;
      return this.stop(`it cannot be read: ${error.message}`, name);
    }
  }

  begin(text) {
    const { line, said } = this.read(text ?? '', 'the header');
    if (said.format !== 'batchgate-audit' || said.v !== 1) this.stop('it is not the header of an export');
    if (!isSigned(line)) this.fail('its signature is forged', 'the header');
    this.header = said;
    this.headerKey = line.public_key;
    this.isPart = said.operation === undefined && said.from > 1;
    this.chains.set('', { seq: said.operation ? 0 : said.from - 1, hash: said.prev ?? null });
  }

  next(text) {
    const [leaf] = this.pending;
    const before = this.chains.get(leaf?.chain ?? '');
    const expected = { chain: leaf?.chain ?? '', seq: (before?.seq ?? leaf.from - 1) + 1 };
    const name = nameOf(expected.chain, expected.seq);
    const { line, said } = this.read(text, name);
    this.place(expected, said, leaf === undefined, name);
    const own = nameOf(said.chain, said.seq);
    if ((leaf || !this.header.operation) && !(before === undefined && this.isPart && said.seq > 1))
      if (said.prev !== (before?.hash ?? null)) this.fail('it does not follow the row before it', own);
    this.chains.set(said.chain, { seq: said.seq, hash: line.hash });
    this.earlier.delete(line.hash);
    this.values(line, said, own);
    if (leaf && said.seq === leaf.to) {
      if (line.hash !== leaf.hash) this.fail(`it is not the row that ${leaf.by} covers`, own);
      this.pending.shift();
    }
    if (said.kind === 'personal_data_deleted') this.deleted.set(said.chain, said.data.up_to);
    if (said.chain === '' && said.kind === 'audit_key') this.newKey(line, said, own);
    if (said.chain === '' && said.kind === 'checkpoint') this.checkpoint(line, said, own);
    this.decisions(said, line, own);
    this.rows.push({ line: this.line, said, opened: line.opened ?? {} });
  }

  /** The place of a row in the export is fixed. */
  place(expected, { chain, seq, kind }, isOwn, name) {
    // In the export of one operation, the rows of the installation are those that are signed themselves.
    const alone = isOwn && this.header.operation !== undefined;
    const fits = alone
      ? ['audit_key', 'checkpoint'].includes(kind) && Number.isInteger(seq) && seq >= expected.seq
      : seq === expected.seq;
    if (chain === expected.chain && fits) return;
    this.stop(`${name} is missing; ${nameOf(chain, seq)} is in its place`);
  }

  /** The values that may be deleted are beside the row, and their salted hashes in it. */
  values({ opened = {} }, said, name) {
    const sealed = sealedIn(said.data);
    for (const [hash, value] of Object.entries(opened)) {
      if (!sealed.has(hash)) this.fail('it has a value that does not belong to it', name);
      else if (typeof value !== 'string' || hex(value) !== hash) this.fail('a value of it was changed', name);
      sealed.delete(hash);
    }
    if (sealed.size > 0) this.closed.push({ line: this.line, name, chain: said.chain, seq: said.seq });
  }

  newKey(line, { data }, name) {
    const by = this.key ?? (this.isPart ? data.replaces : data.public_key);
    this.firstKey ??= by;
    if (line.public_key !== by || !isSigned(line))
      this.fail('the new key is not signed by the one before it', name);
    if ((data.replaces ?? undefined) !== (this.key ?? data.replaces))
      this.fail('it replaces another key', name);
    this.key = data.public_key;
  }

  checkpoint(line, { seq, data }, name) {
    if (!this.key && this.isPart) this.firstKey = this.key = line.public_key;
    if (line.public_key !== this.key) this.fail('it is signed by another key than the one in force', name);
    if (!isSigned(line)) this.fail('its signature is forged', name);
    const { operation } = this.header;
    const texts = operation ? [line.proof?.leaf] : line.covers;
    const root = operation
      ? rootOfProof(line.proof ?? {})
      : rootOfTexts(Array.isArray(texts) ? texts.map(String) : []);
    if (root !== data.root) return this.stop('what it covers was changed', name);
    for (const text of texts) {
      const [chain, from, to, hash] = JSON.parse(text);
      const before = this.chains.get(chain)?.seq;
      if (from !== (before ?? (this.isPart ? from - 1 : 0)) + 1 || to < from)
        this.fail(
          `it covers rows ${from} to ${to} of ${chain}, and the last one before is ${before ?? 0}`,
          name,
        );
      this.pending.push({ chain, from, to, hash, by: `checkpoint ${seq}` });
    }
  }

  /** A batch runs on decisions about exactly its question, by those whom its requirement asks. */
  decisions(said, { opened }, name) {
    const { chain, kind, at, data } = said;
    const values = valuesOf(opened, data?.sealed);
    if (chain === '') return this.passkey(kind, at, data, values);
    if (!this.operations.has(chain))
      this.operations.set(chain, { accepted: new Map(), signatures: new Map() });
    const own = this.operations.get(chain);
    if (kind === 'planned' && data.from === 0) own.plan = values;
    if (kind === 'signature') this.signature(own, { data, at, values }, name);
    if (kind === 'decision' && data.decision === 'continue' && data.outcome === 'accepted')
      own.accepted.set(keyOf(data), values ?? null);
    if (kind === 'batch') this.batch(own, said, { opened, values }, name);
    for (const { index, sealed } of kind === 'outcomes' ? data.items : []) {
      const { id, before, after } = valuesOf(opened, sealed) ?? {};
      const frozen = isOf(own.run, data) ? own.run.frozen.get(index) : undefined;
      if (id === undefined || !frozen) continue;
      if (!same([id, before, after], [frozen.id, frozen.preview?.before, frozen.preview?.after]))
        this.fail(`item ${index} is not as it was confirmed`, name);
    }
  }

  batch(own, { chain, data }, { opened, values }, name) {
    const decision = own.accepted.get(keyOf(data));
    if (decision === undefined && !this.isPart) this.fail('no accepted decision confirms this batch', name);
    const { tree } = values ?? {};
    if (!tree) return;
    const root = rootOfTexts([tree.head, ...tree.leaves.map((leaf) => JSON.stringify(leaf))]);
    const seals = new Map(tree.leaves);
    own.run = { ...data, frozen: new Map() };
    const excluded = [];
    let isSealed = true;
    for (const { index, outcome, sealed } of data.items) {
      const { frozen } = valuesOf(opened, sealed) ?? {};
      if (frozen === undefined) continue;
      own.run.frozen.set(index, JSON.parse(frozen));
      isSealed &&= sealOf(frozen) === seals.get(index);
      if (outcome === 'skipped') excluded.push(JSON.parse(frozen).id);
    }
    if (root !== data.digest || !isSealed) this.fail('its items are not those that were confirmed', name);
    const { requirement: need, run_id: run } = JSON.parse(tree.head);
    const { plan } = own;
    if (plan && !same(need, plan.terms?.policy?.requirement))
      this.fail('its requirement is not the one that was planned', name);
    if (!need || !decision) return;
    const { requested_by, requested_subject: subject = requested_by } = plan ?? {};
    const { batch, attempt, digest } = data;
    const question = { operation: chain, run, batch, attempt, digest, decision: 'continue' };
    const facts = {
      digest,
      requester: subject === undefined ? undefined : { subject, by: requested_by ?? subject },
      signature: (approval) => unsigned(own.signatures.get(approval.signature), approval, question, excluded),
    };
    for (const what of unmet(need, decision, facts)) this.fail(what, name);
  }

  passkey(kind, at, { passkey_id, public_key } = {}, { subject } = {}) {
    if (kind === 'passkey_registered') this.passkeys.set(passkey_id, { public_key, subject });
    if (kind === 'passkey_revoked' && this.passkeys.has(passkey_id))
      this.passkeys.get(passkey_id).revoked_at ??= at;
  }

  signature(own, { data: { signature_id, passkey_id }, at, values }, name) {
    if (!values) return;
    own.signatures.set(signature_id, values);
    const why = forgery(values);
    if (why) this.fail(why, name);
    if (this.isPart || this.header.operation) return;
    // The name of its person may have been deleted.
    const { public_key, subject = values.subject, revoked_at } = this.passkeys.get(passkey_id) ?? {};
    if (public_key !== values.public_key || subject !== values.subject || revoked_at < at)
      this.fail('it is by a passkey that this person did not have then', name);
  }

  end() {
    const { operation, to, hash } = this.header;
    const [leaf] = this.pending;
    if (leaf) {
      const seq = (this.chains.get(leaf.chain)?.seq ?? leaf.from - 1) + 1;
      this.stop(`${nameOf(leaf.chain, seq)} is missing at the end`);
    }
    const [chain, rows, last] = operation
      ? [operation.chain, operation.rows, operation.hash]
      : ['', to, hash];
    const own = this.chains.get(chain);
    if ((own?.seq ?? 0) < rows) this.stop(`${nameOf(chain, (own?.seq ?? 0) + 1)} is missing at the end`);
    if ((own?.seq ?? 0) !== rows || (own?.hash ?? null) !== (last ?? null))
      this.fail('it is not the end that the header names', nameOf(chain, own?.seq ?? 0));
    if (this.key && this.headerKey !== this.key && !this.trusted.includes(this.headerKey))
      this.fail('it is signed by a key that is not the one in force', 'the header');
    // The header covers everything, and the first key vouches for all later ones.
    const known = [this.headerKey, this.firstKey].some((key) => this.trusted.includes(key));
    if (this.trusted.length === 0)
      this.notes.push(`no key was given; ask the installation whether its key is ${this.headerKey}`);
    else if (!known) this.fail(`it is signed by ${this.headerKey}, which you do not trust`, 'the header');
    for (const gone of this.earlier)
      this.failures.push(
        `no row has the hash ${gone}, which an earlier one had: the record was put back or written anew`,
      );
    for (const { line, name, chain: of, seq } of this.closed) {
      if (seq <= (this.deleted.get(of) ?? 0)) continue;
      const what = 'its personal data are not there, and no row says that they were deleted';
      if (this.isPart) this.notes.push(`line ${line}, ${name}: ${what} in this part`);
      else this.failures.push(`line ${line}, ${name}: ${what}`);
    }
  }
}

/** Verifies the text of an export. `failures` is empty if everything is as it was written. */
export const verifyAudit = (text, keys = [], earlier = []) => new Verifier(keys, earlier).verify(text);

/** What a verified export says of one item: each change, and the decisions on the question that it was part of. */
function* storyOf({ rows }, item) {
  for (const { said, opened } of rows) {
    for (const entry of said.data?.items ?? []) {
      const { id, display_name, before, after, error } = valuesOf(opened, entry.sealed) ?? {};
      if (id !== item) continue;
      const { batch } = said.data;
      yield `${said.at} ${said.chain}, batch ${batch}: ${entry.outcome}, ${display_name} (${id}), from ${shown(before)} to ${shown(after)}${error ? `: ${error}` : ''}`;
      const own = rows.filter((one) => one.said.chain === said.chain && one.said.seq < said.seq);
      const run = own.findLast((one) => one.said.kind === 'batch' && one.said.data.batch === batch);
      for (const { said: decision, opened: beside } of own)
        if (decision.kind === 'decision' && run && decision.data.digest === run.said.data.digest)
          yield `  ${decision.data.at} ${decision.data.decision} (${decision.data.outcome}) by ${shown(valuesOf(beside, decision.data.sealed)?.by)}, ${decision.data.assurance}, of the question ${decision.data.digest}`;
    }
  }
}

const CLAIMED = [
  'operation',
  'batch',
  'item',
  'outcome',
  'before',
  'after',
  'approved_by',
  'requester',
  'assurance',
];

/** The members of a claim about one item that a verified export does not show; none if it shows the whole claim. */
export function unshown({ rows }, claim) {
  const { item, operation, batch, outcome = 'succeeded' } = claim;
  const unknown = Object.keys(claim).filter((member) => !CLAIMED.includes(member));
  if (unknown.length > 0 || item === undefined) return unknown.length > 0 ? unknown : ['item'];
  let least = ['item'];
  for (const { said, opened } of rows) {
    if (said.kind !== 'outcomes' || ![undefined, said.chain].includes(operation)) continue;
    if (![undefined, said.data.batch].includes(batch)) continue;
    for (const entry of said.data.items) {
      const values = valuesOf(opened, entry.sealed);
      if (entry.outcome !== outcome || values?.id !== item) continue;
      const own = rows.filter((row) => row.said.chain === said.chain && row.said.seq < said.seq);
      const wrong = wrongIn(claim, values, decidersOf(own, said.data));
      if (wrong.length === 0) return [];
      if (least[0] === 'item' || wrong.length < least.length) least = wrong;
    }
  }
  return least;
}

/** Who requested an item's change, and who approved the batch in which it was made. */
function decidersOf(rows, outcomes) {
  const valuesIn = (row) => (row && valuesOf(row.opened, row.said.data.sealed)) ?? {};
  const last = rows.findLast(({ said }) => said.kind === 'batch');
  const run = isOf(last?.said.data, outcomes) ? last : undefined;
  const decision = rows.findLast(
    ({ said: { kind, data } }) =>
      kind === 'decision' &&
      data.decision === 'continue' &&
      data.outcome === 'accepted' &&
      keyOf(data) === keyOf(run?.said.data ?? {}),
  );
  const { by, approvals = decision ? [{ by, subject: by, ...decision.said.data }] : [] } = valuesIn(decision);
  const plan = rows.findLast(({ said }) => said.kind === 'planned' && said.data.from === 0);
  const { requested_by, requested_subject: subject = requested_by } = valuesIn(plan);
  return { approvals, requester: { by: requested_by, subject } };
}

function wrongIn(claim, { before, after }, { approvals, requester }) {
  const isCalled = (name, { by, subject }) => name !== undefined && [by, subject].includes(name);
  const { approved_by: names } = claim;
  const holds = {
    before: () => same(claim.before, before),
    after: () => same(claim.after, after),
    approved_by: () =>
      names.length === approvals.length &&
      names.every((name) => approvals.filter((one) => isCalled(name, one)).length === 1) &&
      approvals.every((one) => names.some((name) => isCalled(name, one))),
    requester: () =>
      isCalled(claim.requester, requester) &&
      !approvals.flatMap(peopleIn).some((person) => isSamePerson(person, requester)),
    assurance: () => !approvals.some((one) => isLess(one.assurance, claim.assurance)),
  };
  return Object.keys(holds).filter((member) => claim[member] !== undefined && !holds[member]());
}

/** Why a proof of an item is not about a batch of a verified export; undefined if it is. */
export function unproved({ rows }, { operation_id, item_id, proofs }) {
  for (const { root, size, head, item } of proofs) {
    const [asked, frozen] = [JSON.parse(head.leaf), JSON.parse(item.frozen)];
    const [index, seal] = JSON.parse(item.leaf);
    const isWhole = rootOfProof({ ...head, at: 0, size }) === root && rootOfProof({ ...item, size }) === root;
    if (!isWhole || seal !== sealOf(item.frozen) || asked.items !== size - 1)
      return 'its parts do not belong together';
    if (asked.operation_id !== operation_id || frozen.id !== item_id) return 'it is about another item';
    const runs = rows.filter(
      ({ said: { chain, kind, data } }) => chain === operation_id && kind === 'batch' && data.digest === root,
    );
    if (runs.length === 0) return `no batch was run on the question ${root}`;
    if (
      runs.every(({ said }) =>
        said.data.items.some((one) => one.index === index && one.outcome === 'skipped'),
      )
    )
      return 'its item was left out';
  }
  return proofs.length > 0 ? undefined : 'it proves nothing';
}

function main(args) {
  const given = { key: [], has: [], item: [], claim: [], proof: [] };
  const files = [];
  for (let at = 0; at < args.length; at++) {
    const list = args[at].startsWith('--') ? given[args[at].slice(2)] : files;
    if (list === files) files.push(args[at]);
    else list?.push(String(args[++at]));
    if (!list) files.length = 2;
  }
  const { key, has, item } = given;
  if (files.length !== 1 || ![...key, ...has].every((text) => isHash(text.toLowerCase()))) {
    console.error(
      'Usage: node verify-audit.mjs EXPORT [--key PUBLIC_KEY]... [--has HASH]... [--item ITEM_ID]... [--claim FILE]... [--proof FILE]...',
    );
    return 2;
  }
  let [text, claims, proofs] = [];
  try {
    text = readFileSync(files[0], 'utf8');
    [claims, proofs] = [given.claim, given.proof].map((paths) =>
      paths.map((path) => [path, JSON.parse(readFileSync(path, 'utf8'))]),
    );
  } catch (error) {
    console.error(`A file cannot be read: ${error.message}`);
    return 2;
  }
  const lower = (texts) => texts.map((one) => one.toLowerCase());
  const found = verifyAudit(text, lower(key), lower(has));
  for (const note of found.notes) print(`Note: ${note}`);
  for (const failure of found.failures) print(failure);
  if (found.failures.length > 0) return 1;
  const { operation, exported_at } = found.header;
  print(
    `${found.rows.length} rows${operation ? ` of ${operation.chain}` : ''}, exported at ${exported_at}, are as they were written.`,
  );
  for (const one of item) for (const line of storyOf(found, one)) print(line);
  let code = 0;
  const say = (path, why, what) => {
    print(why ? `${path}: ${why}` : `${path}: ${what}`);
    if (why) code = 1;
  };
  for (const [path, claim] of claims) {
    const wrong = unshown(found, claim);
    say(
      path,
      wrong.length > 0 && `the export does not show this claim: ${wrong.join(', ')}`,
      'the export shows this claim.',
    );
  }
  for (const [path, proof] of proofs)
    say(path, unproved(found, proof), 'the item was part of a batch of this export.');
  return code;
}

if (process.argv[1] && realpathSync(process.argv[1]) === fileURLToPath(import.meta.url))
  process.exitCode = main(process.argv.slice(2));
