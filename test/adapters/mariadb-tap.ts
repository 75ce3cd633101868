import { startDatabaseTap, type Protocol } from './database-tap';
import type { Refusal } from './tap';

/** The server's error numbers and messages: https://mariadb.com/kb/en/mariadb-error-code-reference/ */
const REFUSALS: Record<Refusal, [number: number, state: string, words: string]> = {
  limited: [1226, '42000', `User 'sam' has exceeded the 'max_updates_per_hour' resource`],
  broken: [1213, '40001', 'Deadlock found when trying to get lock; try restarting transaction'],
  missing: [1452, '23000', 'Cannot add or update a child row: a foreign key constraint fails'],
  refused: [1142, '42000', `UPDATE command denied to user 'sam' for table 'things'`],
};

/** https://mariadb.com/kb/en/0-packet/: the length in three bytes, a number, and the rest, which begins with the command. */
const [QUERY, PREPARE, EXECUTE] = [0x03, 0x16, 0x17];
const packet = (number: number, body: Buffer): Buffer => {
  const head = Buffer.alloc(4);
  head.writeUIntLE(body.length, 0, 3);
  head.writeUInt8(number, 3);
  return Buffer.concat([head, body]);
};

function* commandsOf(bytes: Buffer): Generator<Buffer> {
  for (let at = 0; at + 4 < bytes.length; at += 4 + bytes.readUIntLE(at, 3))
    if (bytes[at + 3] === 0) yield bytes.subarray(at + 4, at + 4 + bytes.readUIntLE(at, 3));
}

/** A statement that is prepared once is executed by its number. */
function reader(): ReturnType<Protocol['reader']> {
  const prepared = new Map<number, string>();
  let preparing: string | undefined;
  return {
    request(bytes) {
      let text = '';
      for (const command of commandsOf(bytes)) {
        const body = command.subarray(1).toString('latin1');
        if (command[0] === QUERY) text += body;
        if (command[0] === PREPARE) preparing = body;
        if (command[0] === EXECUTE) text += `${prepared.get(command.readUInt32LE(1)) ?? ''} ${body}`;
      }
      return text;
    },
    answer(bytes) {
      if (preparing !== undefined && bytes[4] === 0) prepared.set(bytes.readUInt32LE(5), preparing);
      preparing = undefined;
    },
  };
}

const protocol: Protocol = {
  reader,
  isCommit: (text) => text === 'commit',
  isEnd: (text) => text === 'commit' || text === 'rollback',
  isChange: (text) => /(?:update|delete from|insert into) `\w+`\.`things`/.test(text),
  readOf(text) {
    if (text.includes('information_schema.')) return 'lookup';
    if (!/^\s*select [\s\S]*from `\w+`\.`things`/.test(text)) return undefined;
    return text.includes('`id` = ?') ? 'read' : 'list';
  },
  rollback: packet(0, Buffer.from('\u0003rollback')),
  malformed: packet(1, Buffer.from('?odd!')),
  refusal(fault) {
    const [number, state, words] = REFUSALS[fault];
    const code = Buffer.alloc(2);
    code.writeUInt16LE(number);
    return packet(1, Buffer.concat([Buffer.from([0xff]), code, Buffer.from(`#${state}${words}`)]));
  },
};

export const startMariaDbTap = (port: number) => startDatabaseTap(port, protocol);
