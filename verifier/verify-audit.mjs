#!/usr/bin/env node
// Verifies an export of the audit record of batchgate, after docs/audit-format.md. One file, nothing but Node 18 or newer:
//
//   node verify-audit.mjs EXPORT [--key PUBLIC_KEY]... [--has HASH]... [--item ITEM_ID]...
//
// PUBLIC_KEY: the installation's key, in hex, as you got it from somebody whom you trust. HASH: of a row, such as a
// checkpoint, that you got earlier and that must still be there. ITEM_ID: shows what the verified export says of an item. Exit code 0: everything is as it was written. 1: something is not, and every line says what.
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

const nameOf = (chain, seq) => `row ${seq} of ${chain === '' ? 'the installation' : chain}`;

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
  accepted = new Set();
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

  /** A batch runs on a decision about exactly its question. */
  decisions({ chain, kind, data }, { opened = {} }, name) {
    const key = JSON.stringify([chain, data?.batch, data?.attempt, data?.digest]);
    if (kind === 'decision' && data.decision === 'continue' && data.outcome === 'accepted')
      this.accepted.add(key);
    if (kind !== 'batch') return;
    if (!this.accepted.has(key) && !this.isPart) this.fail('no accepted decision confirms this batch', name);
    const tree = opened[data.sealed] && JSON.parse(opened[data.sealed])[1].tree;
    if (!tree) return;
    const root = rootOfTexts([tree.head, ...tree.leaves.map((leaf) => JSON.stringify(leaf))]);
    if (root !== data.digest) this.fail('its items are not those that were confirmed', name);
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

const valueOf = (opened, sealed) => (opened[sealed] ? JSON.parse(opened[sealed])[1] : {});
const shown = (value) => (value === undefined ? 'not known' : JSON.stringify(value));

/** What a verified export says of one item: each change, and the decisions on the question that it was part of. */
function* storyOf({ rows }, item) {
  for (const { said, opened } of rows) {
    for (const entry of said.data?.items ?? []) {
      const { id, display_name, before, after, error } = valueOf(opened, entry.sealed);
      if (id !== item) continue;
      const { batch } = said.data;
      yield `${said.at} ${said.chain}, batch ${batch}: ${entry.outcome}, ${display_name} (${id}), from ${shown(before)} to ${shown(after)}${error ? `: ${error}` : ''}`;
      const own = rows.filter((one) => one.said.chain === said.chain && one.said.seq < said.seq);
      const run = own.findLast((one) => one.said.kind === 'batch' && one.said.data.batch === batch);
      for (const { said: decision, opened: beside } of own)
        if (decision.kind === 'decision' && run && decision.data.digest === run.said.data.digest)
          yield `  ${decision.data.at} ${decision.data.decision} (${decision.data.outcome}) by ${shown(valueOf(beside, decision.data.sealed).by)}, ${decision.data.assurance}, of the question ${decision.data.digest}`;
    }
  }
}

function main(args) {
  const [files, keys, earlier, items] = [[], [], [], []];
  for (let at = 0; at < args.length; at++) {
    if (args[at] === '--key') keys.push(String(args[++at]).toLowerCase());
    else if (args[at] === '--has') earlier.push(String(args[++at]).toLowerCase());
    else if (args[at] === '--item') items.push(args[++at]);
    else files.push(args[at]);
  }
  if (files.length !== 1 || files[0].startsWith('--') || ![...keys, ...earlier].every(isHash)) {
    console.error(
      'Usage: node verify-audit.mjs EXPORT [--key PUBLIC_KEY]... [--has HASH]... [--item ITEM_ID]...',
    );
    return 2;
  }
  let text;
  try {
    text = readFileSync(files[0], 'utf8');
  } catch (error) {
    console.error(`The export cannot be read: ${error.message}`);
    return 2;
  }
  const found = verifyAudit(text, keys, earlier);
  for (const note of found.notes) console.log(`Note: ${note}`);
  for (const failure of found.failures) console.log(failure);
  if (found.failures.length > 0) return 1;
  const { operation, exported_at } = found.header;
  console.log(
    `${found.rows.length} rows${operation ? ` of ${operation.chain}` : ''}, exported at ${exported_at}, are as they were written.`,
  );
  for (const item of items) for (const line of storyOf(found, item)) console.log(line);
  return 0;
}

if (process.argv[1] && realpathSync(process.argv[1]) === fileURLToPath(import.meta.url))
  process.exitCode = main(process.argv.slice(2));
