// A chat bot for any chat with a "post a message" call: asks what batchgate asks, and posts the person's answer back.
//   HOOK_SECRET    of the webhook that names this port
//   CHAT_SECRET    sent by the chat with each message, as `Authorization: Bearer CHAT_SECRET`
//   CHAT_URL       takes { thread, text }
//   BATCHGATE_URL  the HTTP API, with the key BATCHGATE_KEY of an operator or approver
// The chat posts what people write to /chat, as { thread, message_id, text }. A thread is a session.
import { createHash, timingSafeEqual } from 'node:crypto';
import { bodyOf, post, receive, refusal, textFor } from './receiver.mjs';

const { HOOK_SECRET, CHAT_SECRET, CHAT_URL, BATCHGATE_URL, BATCHGATE_KEY } = process.env;
if (!CHAT_SECRET) throw new Error('CHAT_SECRET is not set. Set it to the secret that the chat sends.');
/** What each thread was shown last: an answer confirms exactly that. */
const seen = new Map();

async function ask({ data }) {
  const { session_id: thread, next_batch, url } = data;
  if (thread === undefined) return;
  if (next_batch) {
    const { number: batch, attempt, digest } = next_batch;
    seen.set(thread, { batch, attempt, digest });
  }
  await post(CHAT_URL, { thread, text: [textFor(data), url].filter(Boolean).join('\n') });
}

const digestOf = (text) => createHash('sha256').update(text).digest();

/** Without this check, anybody who reaches this port could confirm a batch. No chat sends an Origin; web pages do. */
function isFromChat({ authorization = '', origin }) {
  if (origin !== undefined) return false;
  return timingSafeEqual(digestOf(authorization), digestOf(`Bearer ${CHAT_SECRET}`));
}

async function answer(request) {
  if (!isFromChat(request.headers))
    throw refusal(401, 'A message without the secret of the chat was refused.');
  const { thread, message_id, text } = JSON.parse(await bodyOf(request));
  const address = `${BATCHGATE_URL}/v1/sessions/${encodeURIComponent(thread)}/messages`;
  const headers = { authorization: `Bearer ${BATCHGATE_KEY}` };
  const said = await post(address, { text, message_id, seen: seen.get(thread) }, headers);
  const { handled, reply } = await said.json();
  if (handled) await post(CHAT_URL, { thread, text: reply });
}

receive({ port: Number(process.argv[2]), secret: HOOK_SECRET, handle: ask, others: { '/chat': answer } });
