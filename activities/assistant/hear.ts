import {
  noModel,
  type Entry,
  type EntryTime,
  type Heard,
  type HearInput,
} from '../../src/contract/assistant';
import { withClock } from '../../src/core/assistant/clock';
import { fitsVerbatim, MAX_CONTEXT_BYTES } from '../../src/core/assistant/history';
import { withinBytes } from '../../src/core/shared/bounds';
import { redact } from '../../src/core/shared/redact';
import type { ActivityDependencies } from '../shared/dependencies';
import { readProfile } from '../shared/profiles';
import { countTokens, firstTokens } from './tokens';

type Needed = Pick<ActivityDependencies, 'profiles' | 'settings' | 'assistant' | 'scratchpad'>;

/** The share of the limit that the history shows of a message saved in the scratchpad. */
const SHOWN_SHARE = 0.1;

/** Reads the profile. Saves a message over its input limit, or too long for the conversation (specification P2). */
export async function hear(
  dependencies: Needed,
  { session_id, profile, turn, text, notice, zone }: HearInput,
): Promise<Heard> {
  if (dependencies.assistant.model === undefined) throw noModel();
  const profileValues = await readProfile(dependencies, profile);
  const limits = {
    context_tokens: profileValues.op_context_limit_tokens,
    output_tokens: profileValues.op_tool_output_limit_tokens,
    steps: profileValues.op_max_steps,
    calls_per_step: profileValues.op_max_tool_calls_per_step,
    calls: profileValues.op_max_total_tool_calls,
    idle_seconds: profileValues.op_idle_threshold_seconds,
  };
  const time = { at: Date.now(), ...(zone !== undefined && { zone }) };
  if (text === undefined) return { limits, entry: timed({ role: 'notice', text: notice ?? '' }, time) };
  const tokens = countTokens(text);
  const limit = profileValues.op_user_input_limit_tokens;
  const fullEntry = timed({ role: 'person', text }, time);
  if (tokens <= limit && fitsVerbatim(fullEntry, limits.context_tokens)) return { limits, entry: fullEntry };
  const ref = `message-${turn}`;
  await dependencies.scratchpad.save(session_id, ref, text);
  // Redact before cutting: half of a secret would not be recognised.
  const redactedText = redact(text, (await dependencies.assistant.secrets?.()) ?? []);
  const room = Math.floor(Math.min(limit, limits.context_tokens) * SHOWN_SHARE);
  const excerpt = withinBytes(firstTokens(redactedText, Math.max(20, room)), MAX_CONTEXT_BYTES * SHOWN_SHARE);
  const beginning = `ref:${ref} (${tokens} tokens, kept in the scratchpad). It begins:\n${excerpt}`;
  return { limits, entry: timed({ role: 'person', text: beginning, ref }, time) };
}

type Untimed = { role: 'person'; text: string; ref?: string } | { role: 'notice'; text: string };

/** An entry with its time, which the model gets as a line below the text. */
const timed = (entry: Untimed, time: EntryTime): Entry => ({
  ...{ ...entry, ...time },
  tokens: countTokens(withClock(entry.text, time)),
});
