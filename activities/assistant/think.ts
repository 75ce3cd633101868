import { Context } from '@temporalio/activity';
import {
  noModel,
  type Entry,
  type ModelCall,
  type ThinkInput,
  type Thought,
} from '../../src/contract/assistant';
import { cutAt } from '../../src/contract/text';
import { offeredTo, offeredTools, systemPrompt, type Registered } from '../../src/core/assistant/prompt';
import { ROUTE_TOOL, unknownCategories } from '../../src/core/assistant/routing';
import type { ToolRegistry } from '../../src/core/gateway/tool-registry';
import { growingRedactor, redact, redactAll } from '../../src/core/shared/redact';
import type { ActivityDependencies, AssistantDependencies } from '../shared/dependencies';
import { STREAMING_MS, withHeartbeat } from '../shared/heartbeat';
import { beforeAnswer, endsTurn } from './answers';
import { countTokens } from './tokens';

type Needed = Pick<ActivityDependencies, 'assistant' | 'log'> & {
  assistant: AssistantDependencies;
  tools: ToolRegistry;
};

/** Calls the model once. Heartbeats carry the text so far, so none of it is written into the history. */
export async function think(
  dependencies: Needed,
  registered: Registered,
  { turn, step, entries, categories, role }: ThinkInput,
): Promise<Thought> {
  const { assistant, tools } = dependencies;
  const offer = offeredTo(registered, role);
  const { model, secrets } = assistant;
  if (!model) throw noModel();
  const secretValues = (await secrets?.()) ?? [];
  const redactedSoFar = growingRedactor(secretValues);
  const request = {
    system: systemPrompt(offer, categories),
    entries: withoutSecrets(entries, secretValues),
    tools: offeredTools(offer, categories),
  };
  const answer = await withHeartbeat(async (pulse) => {
    const { cancellationSignal } = Context.current();
    const reply = await model
      .answer(request, cancellationSignal, (text) =>
        pulse.report(() => ({ turn, step, text: redactedSoFar(text) })),
      )
      .catch(async (error: unknown) => {
        // It may be the last try, and the turn then ends with words about the failure.
        if (!cancellationSignal.aborted) await beforeAnswer(dependencies);
        throw error;
      });
    if (endsTurn(reply)) await beforeAnswer(dependencies);
    return reply;
  }, STREAMING_MS);
  const calls = answer.calls.map(({ id, tool, args, unreadable, too_large, cut }): ModelCall => {
    const definition = tools.find(tool);
    const unknown = tool === ROUTE_TOOL ? unknownCategories(offer.tools, args) : [];
    return {
      id,
      // Escapes would multiply its length. No tool name has a hyphen, so this is never the name of another tool.
      tool: cutAt(tool.replaceAll(/[^\w-]/g, '-'), 64),
      args: redactAll(args ?? {}, secretValues),
      ...(unreadable !== undefined && { unreadable }),
      ...(too_large && { too_large }),
      ...(cut && { cut }),
      ...(unknown.length > 0 && { unknown_categories: unknown }),
      ...(definition && { traits: traitsOf(definition) }),
    };
  });
  const text = redact(answer.text, secretValues);
  return { text, calls, tokens: countTokens(text + JSON.stringify(calls)), used: answer.used };
}

export const traitsOf = ({ read_only, idempotent }: { read_only: boolean; idempotent: boolean }) => ({
  read_only,
  idempotent: read_only || idempotent,
});

/** Removes secrets from all messages of a prompt. The ids that pair a call with its result do not change. */
function withoutSecrets(entries: readonly Entry[], secrets: readonly string[]): readonly Entry[] {
  return entries.map((entry): Entry => {
    if (entry.role === 'tool') return { ...entry, output: redactAll(entry.output, secrets) };
    const text = redact(entry.text, secrets);
    if (entry.role !== 'model') return { ...entry, text };
    const calls = entry.calls.map((call) => ({ ...call, args: redactAll(call.args, secrets) }));
    return { ...entry, text, calls };
  });
}
