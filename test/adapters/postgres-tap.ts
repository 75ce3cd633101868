import { startDatabaseTap, type Protocol } from './database-tap';
import type { Refusal } from './tap';

/** The server's error codes and messages: https://www.postgresql.org/docs/current/errcodes-appendix.html */
const REFUSALS: Record<Refusal, [code: string, words: string]> = {
  limited: ['40001', 'could not serialize access due to concurrent update'],
  broken: ['40P01', 'deadlock detected'],
  missing: ['23503', 'is not present in the other table'],
  refused: ['42501', 'permission denied for table things'],
};

/** https://www.postgresql.org/docs/current/protocol-message-formats.html */
const protocol: Protocol = {
  reader: () => ({ request: (bytes) => bytes.toString('latin1') }),
  isCommit: (text) => text.includes('commit\0'),
  isEnd: (text) => text.includes('commit\0') || text.includes('rollback\0'),
  isChange: (text) => /(?:update|delete from|insert into) "public"\."things"/.test(text),
  readOf(text) {
    if (text.includes('pg_catalog.') || text.includes('limit 0')) return 'lookup';
    if (!text.includes('from "public"."things"') || /delete from|insert into/.test(text)) return undefined;
    return /count\(\*\)|order by/.test(text) ? 'list' : 'read';
  },
  // A Query message.
  rollback: Buffer.from('Q\0\0\0\u000drollback\0'),
  malformed: Buffer.from('?\0\0\0\u0008odd!'),
  refusal(fault, transactionIsOver) {
    const [code, words] = REFUSALS[fault];
    // ErrorResponse and ReadyForQuery.
    const fields = Buffer.from(`SERROR\0VERROR\0C${code}\0M${words}\0\0`);
    const head = Buffer.from([0x45, 0, 0, 0, 0]);
    head.writeInt32BE(fields.length + 4, 1);
    return Buffer.concat([head, fields, Buffer.from(`Z\0\0\0\u0005${transactionIsOver ? 'I' : 'E'}`)]);
  },
};

export const startPostgresTap = (port: number) => startDatabaseTap(port, protocol);
