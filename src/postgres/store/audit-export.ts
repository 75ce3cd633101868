import { createHash } from 'node:crypto';
import { type SqlBool, sql } from 'kysely';
import { z } from 'zod';
import {
  INSTALLATION,
  signedText,
  type AuditKey,
  type AuditPage,
  type AuditRequest,
} from '../../contract/audit';
import { BatchgateError, parseInput } from '../../contract/errors';
import { merklePath } from '../../core/shared/merkle';
import type { Db } from './schema';

const MAX_PAGE_BYTES = 400_000;
const ROWS = 200;

/** The last line that was returned: a row of the installation, or a row that a leaf of this checkpoint covers. */
const placeSchema = z.strictObject({ seq: z.number().int(), leaf: z.number().int(), row: z.number().int() });
type Place = z.infer<typeof placeSchema>;

/** A part of the installation's chain with all rows that it covers, or only with the rows of one operation. */
const scopeSchema = z.strictObject({ operation: z.string().optional(), to: z.number().int() });
type Scope = z.infer<typeof scopeSchema>;

const cursorSchema = z.strictObject({ scope: scopeSchema, place: placeSchema });

/** A leaf number after all leaves of a checkpoint. */
const ALL = 1_000_000;

/** Returns the lines of an export from a place on, as many as fit into one payload. */
export async function exportPage(
  db: Db,
  request: AuditRequest,
  from: { storeId: string; key: AuditKey },
): Promise<AuditPage> {
  const lines: string[] = [];
  const { header, scope, place } =
    request.cursor === undefined ? await begin(db, request, from) : readCursor(request.cursor);
  if (header !== undefined) lines.push(header);
  let bytes = 0;
  for await (const [line, last] of linesAfter(db, scope, place)) {
    lines.push(line);
    bytes += Buffer.byteLength(line);
    if (bytes > MAX_PAGE_BYTES) return { lines, next: cursorOf(scope, last) };
  }
  return { lines };
}

const cursorOf = (scope: Scope, place: Place): string =>
  Buffer.from(JSON.stringify({ scope, place })).toString('base64url');

function readCursor(text: string): z.infer<typeof cursorSchema> & { header?: undefined } {
  let value: unknown;
  try {
    value = JSON.parse(Buffer.from(text, 'base64url').toString());
  } catch {
    value = undefined;
  }
  return parseInput(cursorSchema, value, 'The cursor');
}

/** Returns the signed first line, which describes the other lines, and the start of the export. */
async function begin(
  db: Db,
  { operation_id, since, until }: AuditRequest,
  { storeId, key }: { storeId: string; key: AuditKey },
) {
  const to = (until !== undefined && (await checkpointAt(db, '>=', until, 'asc'))) || (await lastSeq(db));
  const before = since === undefined ? undefined : await checkpointAt(db, '<', since, 'desc');
  const from = Math.min((before ?? 0) + 1, to + 1);
  const operation = operation_id === undefined ? undefined : await coveredOf(db, operation_id);
  const hashes = await Promise.all([from - 1, to].map((seq) => hashOf(db, INSTALLATION, seq)));
  const body = JSON.stringify({
    ...{ format: 'batchgate-audit', v: 1, installation: storeId, exported_at: new Date().toISOString() },
    ...(operation ? { operation } : { from, prev: hashes[0] ?? null }),
    ...{ to, hash: hashes[1] ?? null },
  });
  const hash = createHash('sha256').update(body).digest('hex');
  const signature = key.sign(signedText(hash));
  return {
    header: JSON.stringify({ hash, body, public_key: key.public_key, signature }),
    scope: { ...(operation && { operation: operation.chain }), to },
    place: { seq: operation ? 0 : from - 1, leaf: ALL, row: 0 },
  };
}

async function checkpointAt(
  db: Db,
  side: '<' | '>=',
  time: string,
  order: 'asc' | 'desc',
): Promise<number | undefined> {
  const row = await db
    .selectFrom('audit')
    .select('seq')
    .where('chain', '=', INSTALLATION)
    .where('kind', '=', 'checkpoint')
    .where(sql<SqlBool>`at ${sql.raw(side)} ${time}::timestamptz`)
    .orderBy('seq', order)
    .limit(1)
    .executeTakeFirst();
  return row?.seq;
}

async function lastSeq(db: Db): Promise<number> {
  const head = db.selectFrom('audit_heads').select('seq').where('chain', '=', INSTALLATION);
  return (await head.executeTakeFirst())?.seq ?? 0;
}

async function hashOf(db: Db, chain: string, seq: number): Promise<string | undefined> {
  const row = db.selectFrom('audit').select('hash').where('chain', '=', chain).where('seq', '=', seq);
  return (await row.executeTakeFirst())?.hash;
}

/** Returns the last row of an operation that checkpoints cover. */
async function coveredOf(db: Db, chain: string) {
  const row = db.selectFrom('audit_heads').select('covered').where('chain', '=', chain);
  const rows = chain === INSTALLATION ? 0 : ((await row.executeTakeFirst())?.covered ?? 0);
  if (rows === 0)
    throw new BatchgateError(
      'NOT_FOUND',
      `The audit record has nothing of the operation ${chain}.`,
      'Take the id from `npx batchgate list`.',
    );
  return { chain, rows, hash: (await hashOf(db, chain, rows)) ?? null };
}

type Line = [line: string, place: Place];

async function* linesAfter(db: Db, scope: Scope, after: Place): AsyncGenerator<Line> {
  if (after.leaf < ALL) yield* covered(db, await leavesOf(db, scope, after.seq), after);
  for (let { seq } = after; ;) {
    const rows = await ownRows(db, scope, seq);
    if (rows.length === 0) return;
    for (const row of rows) {
      const leaves = row.kind === 'checkpoint' ? await leavesOf(db, scope, row.seq) : [];
      const place = { seq: row.seq, leaf: 0, row: 0 };
      yield [lineOf(row, evidenceOf(scope, row.kind, leaves)), place];
      yield* covered(db, leaves, place);
      ({ seq } = row);
    }
  }
}

/** Reads the rows of the installation after a place. For one operation, only the keys and its checkpoints. */
function ownRows(db: Db, { operation, to }: Scope, after: number) {
  return db
    .selectFrom('audit')
    .select(['seq', 'kind', 'hash', 'body', 'opened', 'public_key', 'signature'])
    .where('chain', '=', INSTALLATION)
    .where('seq', '>', after)
    .where('seq', '<=', to)
    .$if(operation !== undefined, (query) =>
      query.where((eb) =>
        eb.or([
          eb('kind', '=', 'audit_key'),
          eb(
            'seq',
            'in',
            eb
              .selectFrom('audit_leaves')
              .select('checkpoint')
              .where('chain', '=', operation ?? ''),
          ),
        ]),
      ),
    )
    .orderBy('seq')
    .limit(ROWS)
    .execute();
}

interface Leaf {
  place: number;
  chain: string;
  leaf: string;
  /** Hashes beside the path to the tree's root. Only if the other leaves are not shown. */
  proof?: { at: number; size: number; path: string[] };
}

async function leavesOf(db: Db, { operation }: Scope, checkpoint: number): Promise<Leaf[]> {
  const leaves = await db
    .selectFrom('audit_leaves')
    .select(['place', 'chain', 'leaf'])
    .where('checkpoint', '=', checkpoint)
    .orderBy('place')
    .execute();
  if (operation === undefined) return leaves;
  const texts = leaves.map(({ leaf }) => leaf);
  return leaves.flatMap((leaf, at) =>
    leaf.chain === operation
      ? [{ ...leaf, proof: { at, size: texts.length, path: merklePath(texts, at) } }]
      : [],
  );
}

function evidenceOf({ operation }: Scope, kind: string, leaves: readonly Leaf[]): object {
  if (kind !== 'checkpoint') return {};
  if (operation === undefined) return { covers: leaves.map(({ leaf }) => leaf) };
  const [own] = leaves;
  return own?.proof ? { proof: { leaf: own.leaf, ...own.proof } } : {};
}

async function* covered(
  db: Db,
  leaves: readonly Leaf[],
  { seq, leaf: firstLeaf, row: lastRow }: Place,
): AsyncGenerator<Line> {
  for (const { place, chain, leaf } of leaves.filter((leaf) => leaf.place >= firstLeaf)) {
    const range = rangeIn(leaf);
    if (!range) continue;
    let from = place === firstLeaf ? Math.max(range.from, lastRow + 1) : range.from;
    while (from <= range.to) {
      const rows = await rowsOf(db, chain, from, range.to);
      for (const row of rows) yield [lineOf(row), { seq, leaf: place, row: row.seq }];
      from = (rows.at(-1)?.seq ?? range.to) + 1;
    }
  }
}

/** Returns undefined for a leaf that was tampered with. A verification of the export reports it. */
function rangeIn(leaf: string): { from: number; to: number } | undefined {
  try {
    const [, from, to] = JSON.parse(leaf) as unknown[];
    return typeof from === 'number' && typeof to === 'number' ? { from, to } : undefined;
  } catch {
    return undefined;
  }
}

const rowsOf = (db: Db, chain: string, from: number, to: number) =>
  db
    .selectFrom('audit')
    .select(['seq', 'kind', 'hash', 'body', 'opened', 'public_key', 'signature'])
    .where('chain', '=', chain)
    .where('seq', '>=', from)
    .where('seq', '<=', to)
    .orderBy('seq')
    .limit(ROWS)
    .execute();

type Row = Awaited<ReturnType<typeof rowsOf>>[number];

const lineOf = ({ hash, body, opened, public_key, signature }: Row, evidence: object = {}): string =>
  JSON.stringify({
    ...{ hash, body },
    ...(opened && { opened }),
    ...(signature !== null && { public_key, signature }),
    ...evidence,
  });
