import { createHash } from 'node:crypto';
import { signedText, type AuditKey } from '../../src/contract/audit';
import { merkleRoot } from '../../src/core/shared/merkle';
import { exported, newAuditKey, pythonVerifier, shippedVerifier, textOf } from '../helpers/audit';
import { claimOf, confirmed, firstBatch, items, plan, runOf, statusOf } from '../helpers/ledger';
import fc from '../helpers/properties';
import { openTestStore } from '../helpers/store';

/** Every way to change an honest export is found by both verifiers, and they name a line. */

interface Line {
  hash: string;
  body: string;
  public_key?: string;
  signature?: string;
  opened?: Record<string, string>;
  covers?: string[];
  proof?: { leaf: string; at: number; size: number; path: string[] };
}

let verify: Awaited<ReturnType<typeof shippedVerifier>>;
let python: Awaited<ReturnType<typeof pythonVerifier>>;
let key: AuditKey;
let exports: string[][];

beforeAll(async () => {
  verify = await shippedVerifier();
  python = await pythonVerifier();
  const store = await openTestStore();
  const [first, second] = [newAuditKey(), newAuditKey()];
  const run = async (id: string) => {
    await store.ledger.recordPlan(plan(id), items);
    await store.ledger.claim(claimOf(id), { items: firstBatch, skipped: [], confirmed, deadline: 1_000 });
    await store.ledger.record(
      claimOf(id),
      firstBatch.map(({ index }) => ({ index, state: 'succeeded' as const })),
    );
  };
  try {
    await store.profiles.change('default', { op_max_steps: 3 });
    await Promise.all([run('op-one'), run('op-two')]);
    await store.audit.checkpoint({ current: first });
    await run('op-three');
    await store.ledger.close('op-one', runOf('op-one'), statusOf('op-one', 'completed'));
    key = second;
    const keys = { current: second, previous: first };
    exports = [await exported(store, keys), await exported(store, keys, { operation_id: 'op-one' })];
  } finally {
    await store.close();
  }
});
afterAll(() => python.close());

/** Both find something, and say where. */
async function expectFound(lines: readonly string[]): Promise<void> {
  const trusted = [key.public_key];
  for (const { failures } of [verify(textOf(lines), trusted), await python.verify(textOf(lines), trusted)])
    expect(failures[0]).toMatch(/^line \d+/);
}

const anExport = fc.constantFrom(0, 1);
const place = fc.nat(1_000);
const at = (lines: readonly string[], where: number): number => where % lines.length;
/** The lines of an export, and a place in it. */
const given = (kind: number): string[] => exports[kind] ?? [];

const RUNS = { numRuns: 60 };

it('finds an honest export to be as it was written', async () => {
  for (const lines of exports) {
    expect(verify(textOf(lines), [key.public_key]).failures).toEqual([]);
    expect(await python.verify(textOf(lines), [key.public_key])).toEqual({ failures: [] });
  }
});

/** Every text within a line, by its path. */
function textsIn(value: unknown, path: (string | number)[] = []): (string | number)[][] {
  if (typeof value === 'string') return [path];
  if (value === null || typeof value !== 'object') return [];
  return Object.entries(value).flatMap(([name, member]) => textsIn(member, [...path, name]));
}

function changedAt(line: string, where: number, character: number): string {
  const value = JSON.parse(line) as Record<string, unknown>;
  const paths = textsIn(value);
  const path = paths[where % paths.length] ?? [];
  const last = path.at(-1) ?? '';
  const holder = path
    .slice(0, -1)
    .reduce<unknown>((inner, name) => (inner as Record<string, unknown>)[name], value);
  const text = (holder as Record<string, string>)[last] ?? '';
  const spot = character % text.length;
  const other = text[spot] === '1' ? '2' : '1';
  (holder as Record<string, string>)[last] = text.slice(0, spot) + other + text.slice(spot + 1);
  return JSON.stringify(value);
}

it('finds any change of a text in a row', async () => {
  await fc.assert(
    fc.asyncProperty(anExport, place, place, place, async (kind, where, path, character) => {
      const lines = given(kind);
      const changed = lines.with(at(lines, where), changedAt(lines[at(lines, where)] ?? '', path, character));
      await expectFound(changed);
    }),
    RUNS,
  );
});

it('finds a change whose hash was computed anew', async () => {
  await fc.assert(
    fc.asyncProperty(anExport, place, place, async (kind, where, character) => {
      const lines = given(kind);
      const line = JSON.parse(lines[at(lines, where)] ?? '') as Line;
      const spot = character % line.body.length;
      const body = `${line.body.slice(0, spot)}${line.body[spot] === '7' ? '8' : '7'}${line.body.slice(spot + 1)}`;
      await expectFound(lines.with(at(lines, where), JSON.stringify({ ...line, body, hash: hashOf(body) })));
    }),
    RUNS,
  );
});

it('finds deleted, inserted, repeated, exchanged and cut off rows', async () => {
  const moves: Record<string, (lines: readonly string[], one: number, other: number) => string[]> = {
    deleted: (lines, one) => lines.toSpliced(one, 1),
    repeated: (lines, one, other) => lines.toSpliced(other, 0, lines[one] ?? ''),
    foreign: (lines, one, other) => lines.toSpliced(other, 0, given(1)[one % given(1).length] ?? ''),
    moved: (lines, one, other) => lines.toSpliced(one, 1).toSpliced(other, 0, lines[one] ?? ''),
    exchanged: (lines, one, other) => lines.with(one, lines[other] ?? '').with(other, lines[one] ?? ''),
    cut: (lines, one) => lines.slice(0, one),
    halved: (lines, one) => [...lines.slice(0, one), (lines[one] ?? '').slice(0, -7)],
    'without their values': (lines, one) => lines.with(one, withoutValues(lines[one] ?? '')),
  };
  await fc.assert(
    fc.asyncProperty(
      anExport,
      fc.constantFrom(...Object.keys(moves)),
      place,
      place,
      async (kind, move, one, other) => {
        const lines = given(kind);
        const moved = moves[move]?.(lines, at(lines, one), at(lines, other)) ?? [];
        fc.pre(textOf(moved) !== textOf(lines));
        await expectFound(moved);
      },
    ),
    { numRuns: 120 },
  );
});

/** Chance may leave these out. */
it('finds every change of what a checkpoint covers, and of the proof that it does', async () => {
  const other = (text: string) => `${text.slice(0, -3)}${text.at(-3) === '1' ? '2' : '1'}${text.slice(-2)}`;
  const changes = ({ covers = [], proof }: Line): Partial<Line>[] => [
    ...covers.map((leaf, where) => ({ covers: covers.with(where, other(leaf)) })),
    ...(proof ? [{ proof: { ...proof, leaf: other(proof.leaf) } }] : []),
    ...(proof?.path ?? []).map((hash, where) => ({
      proof: { ...(proof as NonNullable<Line['proof']>), path: proof?.path.with(where, other(hash)) ?? [] },
    })),
  ];
  let tried = 0;
  for (const lines of exports)
    for (const [where, line] of lines.map((one) => JSON.parse(one) as Line).entries())
      for (const change of changes(line)) {
        await expectFound(lines.with(where, JSON.stringify({ ...line, ...change })));
        tried += 1;
      }
  expect(tried).toBeGreaterThan(3);
});

it('finds a change of the last row of each chain, though nothing in the export follows it', async () => {
  let tried = 0;
  for (const lines of exports) {
    const rows = lines.slice(1).map((text) => {
      const line = JSON.parse(text) as Line;
      return { line, body: JSON.parse(line.body) as Body & { at: string } };
    });
    for (const [where, { line, body }] of rows.entries()) {
      if (body.chain === '' || rows.slice(where + 1).some((row) => row.body.chain === body.chain)) continue;
      const text = JSON.stringify({ ...body, at: new Date(Date.parse(body.at) + 1).toISOString() });
      expect(text).not.toBe(line.body);
      await expectFound(lines.with(where + 1, JSON.stringify({ ...line, body: text, hash: hashOf(text) })));
      tried += 1;
    }
  }
  expect(tried).toBeGreaterThan(2);
});

it('finds signatures by another key, on any row and on all of them', async () => {
  const forger = newAuditKey();
  const signed = (line: Line): Line => ({
    ...line,
    ...{ public_key: forger.public_key, signature: forger.sign(signedText(line.hash)) },
  });
  for (const lines of exports) {
    const rows = lines.map((line) => JSON.parse(line) as Line);
    const places = rows.flatMap(({ signature }, where) => (signature === undefined ? [] : [where]));
    for (const where of places)
      await expectFound(lines.with(where, JSON.stringify(signed(rows[where] as Line))));
    await expectFound(rows.map((row) => JSON.stringify(row.signature === undefined ? row : signed(row))));
  }
});

it('finds a whole history that somebody wrote anew with a key of their own', async () => {
  const forger = newAuditKey();
  const [all = []] = exports;
  const forged = rewritten(
    all.map((line) => JSON.parse(line) as Line),
    forger,
  );
  // Nothing in it contradicts itself: only the key is another one.
  expect(verify(textOf(forged), [forger.public_key]).failures).toEqual([]);
  expect((await python.verify(textOf(forged), [forger.public_key])).failures).toEqual([]);
  await expectFound(forged);
});

const hashOf = (text: string): string => createHash('sha256').update(text).digest('hex');

function withoutValues(line: string): string {
  const { opened: _, ...rest } = JSON.parse(line) as Line;
  return JSON.stringify(rest);
}

type Body = { chain: string; seq: number; prev: string | null; kind: string; data: Record<string, unknown> };

/** A history in which nobody decided anything by the old names, in itself as good as the honest one. */
function rewritten(lines: Line[], forger: AuditKey): string[] {
  const heads = new Map<string, string>();
  const [header, ...rows] = lines as [Line, ...Line[]];
  const rebuilt = rows.map((line) => {
    const body = JSON.parse(line.body) as Body;
    body.prev = heads.get(body.chain) ?? null;
    if (body.chain !== '') {
      const text = JSON.stringify(body);
      heads.set(body.chain, hashOf(text));
      return { ...line, body: text, hash: hashOf(text) };
    }
    return { ...line, own: body };
  });
  // Checkpoints come before what they cover.
  const hashOfRow = new Map(
    rebuilt.flatMap((line) => {
      if ('own' in line) return [];
      const { chain, seq } = JSON.parse(line.body) as Body;
      return [[`${chain} ${seq}`, line.hash] as const];
    }),
  );
  let before: string | null = null;
  let keys = 0;
  const done = rebuilt.map((line) => {
    if (!('own' in line)) return line;
    const { own, ...rest } = line;
    own.prev = before;
    const made: Line = { ...rest };
    if (own.kind === 'audit_key')
      own.data = keys++ === 0 ? { public_key: forger.public_key } : { note: 'no key' };
    if (own.kind === 'audit_key' && keys > 1) own.kind = 'note';
    if (own.kind === 'checkpoint') {
      made.covers = (line.covers ?? []).map((leaf) => {
        const [chain, from, to] = JSON.parse(leaf) as [string, number, number];
        return JSON.stringify([chain, from, to, hashOfRow.get(`${chain} ${to}`)]);
      });
      own.data = { ...own.data, root: merkleRoot(made.covers) };
    }
    made.body = JSON.stringify(own);
    made.hash = hashOf(made.body);
    before = made.hash;
    if (made.signature === undefined) return made;
    return { ...made, public_key: forger.public_key, signature: forger.sign(signedText(made.hash)) };
  });
  const said = { ...(JSON.parse(header.body) as object), hash: before };
  const text = JSON.stringify(said);
  const signature = forger.sign(signedText(hashOf(text)));
  const first = { hash: hashOf(text), body: text, public_key: forger.public_key, signature };
  return [first, ...done].map((line) => JSON.stringify(line));
}
