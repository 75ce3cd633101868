import type { ModelCall } from '../../contract/assistant';
import { hintOf } from '../gateway/errors';
import type { Session, Turn } from './session';

/** The reason why a turn ends without the model's own answer. */
export type EndReason =
  | { kind: 'steps'; limit: number }
  | { kind: 'context' }
  | { kind: 'same_failure'; tool: string; said: string }
  | { kind: 'no_model'; said: string };

/** The error of a call beyond a budget of the profile. */
export function excessCall(scope: 'step' | 'request', limit: number): string {
  const field = scope === 'step' ? 'op_max_tool_calls_per_step' : 'op_max_total_tool_calls';
  const next =
    scope === 'step'
      ? 'Make this call in your next step if it is still needed.'
      : 'Answer the person with what you have; they can raise the limit in the profile.';
  return `[GATEWAY ERROR] Not called: at most ${limit} tool calls a ${scope} are allowed (${field}). [HINT]: ${next}`;
}

/** The error of a call that did not arrive whole (activities/assistant/model.ts); undefined for any other. */
export function unusableCall({ too_large, cut }: Pick<ModelCall, 'too_large' | 'cut'>): string | undefined {
  if (too_large) return TOO_LARGE;
  return cut ? CUT : undefined;
}

const TOO_LARGE =
  '[GATEWAY ERROR] Not called: the arguments of all calls of one step have at most 100 KB. [HINT]: Save long text in the scratchpad and refer to it, or make this call alone in your next step.';

const CUT =
  '[GATEWAY ERROR] Not called: your answer was cut at the output limit of the model, so this call may be incomplete. [HINT]: Make fewer calls in a step, with shorter arguments; save long text in the scratchpad in parts.';

/** The error of repeating a call that may have taken effect. */
export const repeatedUnknown = (tool: string): string =>
  `[TOOL ERROR] ${tool}: not called again, because the effect of the same call before is unknown. [HINT]: ${hintOf('outcome_unknown')}`;

const SHOWN = 5;

/**
 * The answer of a graceful exit (specification P10): admits the failure, and reports what was found, done and left
 * open.
 */
export function sayEnd(session: Session, turn: Turn, because: EndReason): string {
  const rows = (matches: (row: Turn['log'][number]) => boolean) => {
    const all = turn.log.filter(matches);
    const earlier = all.length - SHOWN;
    return [
      ...(earlier > 0 ? [`- ${earlier} earlier ${earlier === 1 ? 'call' : 'calls'}, not listed here`] : []),
      ...all.slice(-SHOWN).map(({ tool, said }) => `- ${tool}: ${said ?? 'done'}`),
    ];
  };
  const reads = rows(({ state, read_only }) => state === 'done' && read_only);
  const changes = rows(({ state, read_only }) => state === 'done' && !read_only);
  const failed = rows(({ state }) => state === 'failed');
  const doubt = turn.log.some(({ unknown }) => unknown);
  const open = session.watched.map((id) => `- ${id} has not ended`);
  return [
    `I stopped: ${reasonOf(because)}`,
    ...part('Found:', reads, 'Found: nothing.'),
    ...part(
      'Done:',
      changes,
      doubt
        ? 'Done: it is unknown whether this turn changed anything.'
        : 'Done: nothing was changed by this turn.',
    ),
    ...part('Failed:', failed),
    ...part('Open:', open, 'Open: your request.'),
  ].join('\n');
}

const part = (title: string, lines: string[], none?: string): string[] =>
  lines.length > 0 ? [title, ...lines] : none === undefined ? [] : [none];

function reasonOf(because: EndReason): string {
  switch (because.kind) {
    case 'steps':
      return `the ${because.limit} steps of one request are used up (op_max_steps).`;
    case 'context':
      return 'the conversation does not fit into the context limit (op_context_limit_tokens, and 600 KB), and it cannot be condensed further.';
    case 'same_failure':
      return `the same call of ${because.tool} failed twice.`;
    case 'no_model':
      return because.said;
  }
}
