import { withoutClock } from '../../core/assistant/clock';
import {
  serveScriptedModel,
  type ScriptedModel,
  type ScriptReply,
  type ScriptRequest,
  type WireMessage,
} from './server';

/** The name of the model in BATCHGATE_MODEL_NAME. */
export const DEMO_MODEL = 'demo';

export const serveDemoModel = (): Promise<ScriptedModel> => serveScriptedModel(demoScript);

/** The verbs that the script understands, with the gmail action of each. */
const VERBS: Readonly<Record<string, string>> = {
  label: 'label',
  archive: 'archive',
  star: 'star',
  trash: 'trash',
  delete: 'trash',
};

const WISH =
  /^(?:please )?(?<verb>label|archive|star|trash|delete) (?:all |every |the )*(?:e?mails?|messages?|newsletters?) (?:from|of|by) (?<sender>\S+?)(?: (?:as|with|with the label) ["“]?(?<label>[^"”]+?)["”]?)?[.!]?$/i;
const WITHOUT_SENDER =
  /^(?:please )?(?:label|archive|star|trash|delete)\b.*\b(?:mails?|messages?|newsletters?)\b/i;
const LOOK = /\b(?:what|which|list|show)\b.*\boperations?\b/i;

/**
 * A model made of rules, for trying the assistant without a key: it understands a few sentences about mail, and answers
 * in the protocol of any other model.
 */
export function demoScript({ messages }: ScriptRequest): ScriptReply {
  const from = messages.findLastIndex(({ role }) => role === 'user');
  const request = withoutClock(messages[from]?.content ?? '').trim();
  const since = messages.slice(from + 1);
  if (request.startsWith('[batchgate] ')) return { text: outcomeText(request) };
  const wish = WISH.exec(request)?.groups;
  if (wish) return started(since, wish['verb'] ?? '', wish['sender'] ?? '', wish['label']);
  if (WITHOUT_SENDER.test(request)) {
    if (since.length > 0) return { text: 'Tell me whose emails.' };
    return {
      calls: [{ tool: 'ask_person', args: { question: 'Whose emails? Give the address of the sender.' } }],
    };
  }
  if (LOOK.test(request)) return listed(since);
  return {
    text: "I am the demo model, a few rules in the place of a language model. Say 'label all emails from ADDRESS as NAME', 'archive all emails from ADDRESS', or 'which operations are there?'.",
  };
}

/** The calls that the script made for this message, the latest last. */
const called = (since: readonly WireMessage[]): string[] =>
  since.flatMap(({ tool_calls = [] }) => tool_calls.map(({ function: { name } }) => name));

function started(since: readonly WireMessage[], verb: string, sender: string, label?: string): ScriptReply {
  const calls = called(since);
  const action = VERBS[verb.toLowerCase()] ?? 'label';
  if (calls.length === 0) return { calls: [{ tool: 'choose_tools', args: { categories: ['bulk'] } }] };
  if (calls.at(-1) === 'start_bulk_operation') return { text: failureText(since) };
  const change = action === 'label' ? { label_name: label ?? 'Later', create_label: true } : {};
  const reason = `You asked me to ${action} the emails from ${sender}.`;
  const args = { domain: 'gmail', action, params: { sender, ...change }, reason };
  return {
    text: `I plan to ${action} the emails from ${sender}.`,
    calls: [{ tool: 'start_bulk_operation', args }],
  };
}

function listed(since: readonly WireMessage[]): ScriptReply {
  const calls = called(since);
  if (calls.length === 0) return { calls: [{ tool: 'choose_tools', args: { categories: ['bulk'] } }] };
  if (calls.at(-1) !== 'list_bulk_operations')
    return { calls: [{ tool: 'list_bulk_operations', args: { limit: 5 } }] };
  const result = resultOf(since) as { items?: { operation_id: string; state?: string }[] };
  const lines = (result.items ?? []).map(
    ({ operation_id, state }) => `- ${operation_id}: ${state ?? 'unknown'}`,
  );
  return {
    text: lines.length === 0 ? 'There are no operations.' : ['The latest operations:', ...lines].join('\n'),
  };
}

function resultOf(since: readonly WireMessage[]): object {
  try {
    const answer: unknown = JSON.parse(since.findLast(({ role }) => role === 'tool')?.content ?? '{}');
    return answer !== null && typeof answer === 'object' ? answer : {};
  } catch {
    return {};
  }
}

function failureText(since: readonly WireMessage[]): string {
  const { error, message } = resultOf(since) as { error?: string; message?: string };
  return error === undefined ? (message ?? 'It is done.') : `That did not work: ${error}`;
}

function outcomeText(notice: string): string {
  const sentence = /has ended: (.*)$/s.exec(notice)?.[1] ?? notice;
  return `That operation is over: ${sentence}`;
}
