import { execFile } from 'node:child_process';
import { createHash, randomUUID } from 'node:crypto';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { performance } from 'node:perf_hooks';
import { promisify } from 'node:util';
import { sql } from 'kysely';
import type { Confirmation } from '../../src/contract/operation';
import { exported, newAuditKey, textOf } from '../helpers/audit';
import { plainFigure, ratioFigure, type Figure } from './figures';
import { note, type Ground } from './ground';

const DECISIONS = 10_000;
const A_CHAIN = 50;
const ROUNDS = 5;
const BATCHES = 100;

/** What the audit record costs: to verify a long history, and to append to it. */
export async function auditBench(ground: Ground): Promise<Figure[]> {
  return [await appending(ground), ...(await verifying(ground))];
}

const decision = (batch: number): Confirmation => ({
  ...{ batch, attempt: 1, decision: 'continue', outcome: 'accepted', by: 'Anna', via: 'update' },
  ...{ at: new Date().toISOString(), assurance: 'session', digest: 'd'.repeat(64) },
});

/** Beside hashing the same bytes, which is the least that a verifier must do. */
async function verifying({ store }: Ground): Promise<Figure[]> {
  note(`writing ${DECISIONS} decisions`);
  for (let at = 0; at < DECISIONS; at += A_CHAIN) {
    const decisions = Array.from({ length: A_CHAIN }, (_, of) => decision(of + 1));
    await store.ledger.recordDecisions(`bench-audit-${randomUUID()}`, decisions);
  }
  const keys = { current: newAuditKey() };
  const lines = await exported(store, keys);
  const folder = await mkdtemp(join(tmpdir(), 'batchgate-bench-audit-'));
  try {
    const file = join(folder, 'export.jsonl');
    await writeFile(file, textOf(lines));
    const verifier = join(__dirname, '../../verifier/verify-audit.mjs');
    const [ours, least]: [number[], number[]] = [[], []];
    for (let round = 0; round < ROUNDS; round++) {
      const began = performance.now();
      await promisify(execFile)(process.execPath, [verifier, file, '--key', keys.current.public_key]);
      ours.push(performance.now() - began);
      const hashing = performance.now();
      for (const line of lines) createHash('sha256').update(line).digest('hex');
      least.push(performance.now() - hashing);
    }
    return [
      plainFigure(`verify ${DECISIONS} decisions`, ours, 'ms'),
      ratioFigure(`verify ${DECISIONS} decisions, against hashing their lines`, ours, least),
    ];
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

/** A decision appended to its chain, beside a row of the same size in a plain table. */
async function appending({ store: { db, ledger } }: Ground): Promise<Figure> {
  await sql`create table batchgate.bench_audit (id serial primary key, body text)`.execute(db);
  const body = JSON.stringify(decision(1)).repeat(2);
  const [ours, plain]: [number[], number[]] = [[], []];
  for (let round = 0; round < ROUNDS; round++) {
    const id = `bench-audit-${randomUUID()}`;
    const began = performance.now();
    for (let batch = 1; batch <= BATCHES; batch++) await ledger.recordDecisions(id, [decision(batch)]);
    ours.push((performance.now() - began) / BATCHES);
    const inserting = performance.now();
    for (let batch = 1; batch <= BATCHES; batch++)
      await sql`insert into batchgate.bench_audit (body) values (${body})`.execute(db);
    plain.push((performance.now() - inserting) / BATCHES);
  }
  await sql`drop table batchgate.bench_audit`.execute(db);
  return ratioFigure('append a decision to the audit record, against a plain insert', ours, plain);
}
