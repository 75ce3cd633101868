import { spawn } from 'node:child_process';
import { generateKeyPairSync, sign } from 'node:crypto';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { sql } from 'kysely';
import type { AuditKey, AuditKeys, AuditRequest } from '../../src/contract/audit';
import type { Store } from '../../src/postgres/store/open';
import { withPythonPackage } from './python-package';

/** A new key, in the form in which an installation makes one. */
export function newAuditKey(): AuditKey {
  const { privateKey, publicKey } = generateKeyPairSync('ed25519');
  return {
    public_key: publicKey.export({ type: 'spki', format: 'der' }).subarray(-32).toString('hex'),
    sign: (text) => sign(null, Buffer.from(text), privateKey).toString('hex'),
  };
}

/** The lines of a whole export, after a checkpoint unless the request is for what is covered. */
export async function exported(
  { audit }: Pick<Store, 'audit'>,
  keys: AuditKeys,
  request: AuditRequest = {},
): Promise<string[]> {
  const lines: string[] = [];
  if (!request.covered) await audit.checkpoint(keys);
  for (let cursor: string | undefined = ''; cursor !== undefined;) {
    const page = await audit.export({ ...request, ...(cursor && { cursor }) }, keys);
    lines.push(...page.lines);
    cursor = page.next;
  }
  return lines;
}

/** The audit store with the keys by which a test's worker signs its record. */
export const auditorOf = ({ audit }: Store, keys: AuditKeys) => ({
  ...audit,
  async export(request: AuditRequest) {
    if (request.cursor === undefined) await audit.checkpoint(keys);
    return audit.export(request, keys);
  },
});

export interface Verified {
  failures: string[];
  notes?: string[];
  rows?: { line: number; said: Said; opened: Record<string, string> }[];
}
interface Said {
  chain: string;
  seq: number;
  kind: string;
  data: Record<string, unknown> & { items?: { sealed?: string; outcome: string }[]; sealed?: string };
}

/** The verifier of the package. It is not part of the build, so it has no types. */
const SHIPPED: string = '../../verifier/verify-audit.mjs';

type VerifyAudit = (text: string, keys?: string[], earlier?: string[]) => Verified;

export async function shippedVerifier(): Promise<VerifyAudit> {
  const { verifyAudit } = (await import(SHIPPED)) as {
    verifyAudit: VerifyAudit;
  };
  return verifyAudit;
}

/** The environment of the verifier in Python. */
export const pythonVerifierEnv = () => withPythonPackage('cryptography', '50.0.2');

/** The verifier in Python, in one process for many exports. */
export async function pythonVerifier() {
  const folder = await mkdtemp(join(tmpdir(), 'batchgate-audit-'));
  const child = spawn('python3', [join(__dirname, 'verify_audit.py'), '--many'], {
    stdio: ['pipe', 'pipe', 'inherit'],
    env: await pythonVerifierEnv(),
  });
  const answers = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
  return {
    async verify(text: string, keys: string[] = []): Promise<Verified> {
      const path = join(folder, 'export.jsonl');
      await writeFile(path, text);
      child.stdin.write(`${JSON.stringify([path, keys])}\n`);
      const { value } = await answers.next();
      return { failures: JSON.parse(value as string) as string[] };
    },
    async close() {
      child.stdin.end();
      await rm(folder, { recursive: true, force: true });
    },
  };
}

export const textOf = (lines: readonly string[]): string => lines.map((line) => `${line}\n`).join('');

/** Changes the record as the owner of the database could. */
export async function tampered(store: Store, statement: ReturnType<typeof sql>): Promise<void> {
  await sql`alter table batchgate.audit disable trigger keep_audit`.execute(store.db);
  await statement.execute(store.db);
  await sql`alter table batchgate.audit enable trigger keep_audit`.execute(store.db);
}

/** Both verifiers, for the tests of a file. `both` returns the shipped one's result after checking that they agree. */
export function useVerifiers() {
  let verify: VerifyAudit;
  let python: Awaited<ReturnType<typeof pythonVerifier>>;
  beforeAll(async () => {
    verify = await shippedVerifier();
    python = await pythonVerifier();
  });
  afterAll(() => python.close());
  return {
    shipped: (...args: Parameters<VerifyAudit>) => verify(...args),
    async both(lines: readonly string[], keys: string[] = []): Promise<Verified> {
      const [own, other] = [verify(textOf(lines), keys), await python.verify(textOf(lines), keys)];
      expect([own.failures, other.failures.length > 0]).toEqual([own.failures, own.failures.length > 0]);
      return own;
    },
  };
}
