import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { request, type IncomingMessage } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { entrySchema, foldLog, openLog, type LogEntry } from './log';
import { MAILBOX_USER, SEED_LABELS, seedMessages } from './seed';

interface MailboxRequest {
  method: string;
  /** The path with its query. */
  path: string;
  authorized: boolean;
  body: string;
}
interface MailboxAnswer {
  status: number;
  type: string;
  body: string;
}
export interface MailboxStore {
  handle(request: MailboxRequest): Promise<MailboxAnswer>;
  /** Waits for the running request. */
  close(): Promise<void>;
}

/** The writes that a restart can repeat. It cannot repeat new messages, because the emulator gives them random ids. */
const KEPT_WRITES = [
  /^POST \/gmail\/v1\/users\/[^/]+\/messages\/(batchModify|batchDelete)$/,
  /^POST \/gmail\/v1\/users\/[^/]+\/(messages|threads)\/[^/]+\/(modify|trash|untrash)$/,
  /^DELETE \/gmail\/v1\/users\/[^/]+\/(messages|threads|labels)\/[^/]+$/,
  /^(POST|PUT|PATCH) \/gmail\/v1\/users\/[^/]+\/labels(\/[^/]+)?$/,
];

/** Opens the mailbox: loads the sample emails, and repeats every request in the log at `path`. */
export async function openMailbox(path: string): Promise<MailboxStore> {
  const log = await openLog(path, entrySchema);
  try {
    const past = foldLog(SEED_LABELS, log.entries);
    const emulator = await startEmulator(past.labels, past.isGone);
    for (const { method, path: url, body } of past.requests) {
      await emulator.send({ method, path: url, authorized: true, body: JSON.stringify(body) });
    }
    // One write at a time, and reads after writes: no answer shows a change that is not on the disk yet. After a failed
    // write to the log all further requests fail, because the emulator is ahead of the log.
    let last: Promise<unknown> = Promise.resolve();
    return {
      handle(request) {
        const answer = last.then(() => handle(request));
        last = request.method === 'GET' ? last : answer;
        return answer;
      },
      async close() {
        await last.catch(() => undefined);
        await emulator.close();
        await log.close();
      },
    };

    async function handle(request: MailboxRequest): Promise<MailboxAnswer> {
      const url = request.path.replace(/\?.*$/, '');
      if (request.method === 'GET') return emulator.send(request);
      const body = readBody(request.body);
      if (body === undefined) return refusal(400, 'The body is not a JSON object');
      if (!KEPT_WRITES.some((write) => write.test(`${request.method} ${url}`))) {
        return refusal(501, 'The local mailbox does not do this');
      }
      const answer = await emulator.send(request);
      if (answer.status < 300) await log.append(entryOf(request.method, url, body, answer.body));
      return answer;
    }
  } catch (error) {
    await log.close();
    throw error;
  }
}

function readBody(body: string): Record<string, unknown> | undefined {
  try {
    const parsed: unknown = JSON.parse(body === '' ? '{}' : body);
    return typeof parsed === 'object' && !Array.isArray(parsed) ? { ...parsed } : undefined;
  } catch {
    return undefined;
  }
}

function entryOf(method: string, path: string, body: Record<string, unknown>, answer: string): LogEntry {
  if (method === 'DELETE' || !/\/labels(\/[^/]+)?$/.test(path)) return { method, path, body };
  const { id, name } = JSON.parse(answer) as { id: string; name: string };
  return { method, path, body, label: { id, name } };
}

const refusal = (code: number, message: string): MailboxAnswer => ({
  status: code,
  type: 'application/json',
  body: JSON.stringify({ error: { code, message } }),
});

async function startEmulator(
  labels: readonly { id: string; name: string }[],
  isGone: (labelId: string) => boolean,
) {
  // The package has no CommonJS entry.
  const { createEmulator } = await import('emulate');
  const folder = await mkdtemp(join(tmpdir(), 'batchgate-mail-'));
  const socketPath = join(folder, 's');
  const emulator = await createEmulator({
    service: 'google',
    // It answers requests from pages of any site, so it has no port: Node accepts a socket here, too.
    port: socketPath as never,
    seed: {
      google: {
        users: [{ email: MAILBOX_USER, name: 'Sam' }],
        labels: labels.map((label) => ({ ...label, user_email: MAILBOX_USER })),
        messages: seedMessages().map((message) => ({
          ...message,
          user_email: MAILBOX_USER,
          label_ids: message.label_ids.filter((id) => !isGone(id)),
        })),
      },
      // Every other token belongs to this user, too.
      tokens: {},
    },
  });
  let requests = 0;
  return {
    async close() {
      await emulator.close();
      await rm(folder, { recursive: true, force: true });
    },
    async send({ method, path, authorized, body }: MailboxRequest): Promise<MailboxAnswer> {
      requests += 1;
      // The emulator refuses the 5,001st request of a token within an hour, but accepts any token.
      const token = `local-${Math.floor(requests / 4_000)}`;
      const headers = {
        ...(authorized && { authorization: `Bearer ${token}` }),
        ...(body !== '' && { 'content-type': 'application/json' }),
      };
      const outgoing = request({ socketPath, path, method, headers });
      outgoing.end(method === 'GET' ? '' : body);
      const [answer] = (await once(outgoing, 'response')) as [IncomingMessage];
      return {
        status: answer.statusCode ?? 500,
        type: answer.headers['content-type'] ?? '',
        body: await text(answer),
      };
    },
  };
}
