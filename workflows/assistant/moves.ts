import { isCancellation, proxyActivities, workflowInfo } from '@temporalio/workflow';
import type { AssistantActivities, ModelCall, Used } from '../../src/contract/assistant';
import type { Settings } from '../../src/contract/settings';
import { START_TOOL } from '../../src/core/bulk/operation';
import { saysUnknown } from '../../src/core/macro/errors';
import { PROPOSE_TOOL } from '../../src/core/macro/proposal';
import { startedBy } from '../../src/core/shared/canonical';
import { outputRoom } from '../../src/core/assistant/history';
import { endTurn, interruptCall, noteStart, watchUnsure } from '../../src/core/assistant/session';
import {
  afterCondensing,
  afterHearing,
  afterThinking,
  afterUsing,
  giveUp,
  nextMove,
  offeredCategories,
  type Move,
} from '../../src/core/assistant/turn';
import { AGAIN, FINAL, ONCE, optionsOf } from '../macro/options';
import { effectUnknown, fromActivityFailure, sentence } from '../shared/failures';
import type { Running } from './running';
import { sentences } from '../../src/core/shared/plain-text';

/** Makes the next move of the running turn. */
export async function makeMove(running: Running): Promise<void> {
  const move = nextMove(running.session);
  switch (move.do) {
    case 'rest':
      return;
    case 'stop':
      running.session = endTurn(running.session, { state: 'stopped' }, Date.now());
      return;
    case 'hear':
      return hear(running, move);
    case 'condense':
      return condense(running, move);
    case 'think':
      return think(running, move);
    case 'use':
      return use(running, move);
    case 'end':
      running.session = giveUp(running.session, move.because, Date.now());
  }
}

const activities = (settings: Settings, summary: string) =>
  proxyActivities<AssistantActivities>(optionsOf(settings, summary));

type Of<D extends Move['do']> = Extract<Move, { do: D }>;

async function hear(running: Running, { turn }: Of<'hear'>): Promise<void> {
  const { settings, session } = running;
  const { session_id, profile } = session;
  const { number, about, text, zone } = turn;
  const input = {
    ...{ session_id, turn: number },
    ...(profile !== undefined && { profile }),
    ...(about === 'message' ? { text } : { notice: text }),
    ...(zone !== undefined && { zone }),
  };
  await orEnd(running, async () => {
    const hearing = await activities(settings, `turn ${number}`).hear(input);
    running.session = afterHearing(running.session, hearing);
  });
}

async function condense(running: Running, { entries, turn }: Of<'condense'>): Promise<void> {
  const { settings, session } = running;
  const { number, steps, limits } = turn;
  const input = { session_id: session.session_id, turn: number, step: steps, entries };
  const limit_tokens = limits?.context_tokens ?? 1;
  await orEnd(running, async () => {
    const condensed = await activities(settings, 'condense').condense({ ...input, limit_tokens });
    running.session = afterCondensing(running.session, entries.length, condensed);
  });
}

async function think(running: Running, { turn }: Of<'think'>): Promise<void> {
  const { settings, session } = running;
  const { number, steps: step, categories } = turn;
  const summary = `model, step ${step + 1}`;
  await orEnd(running, async () => {
    const thought = await activities(settings, summary).think({
      ...{ turn: number, step, categories, role: turn.role },
      entries: session.entries,
    });
    running.session = afterThinking(running.session, thought, Date.now());
  });
}

/** A final refusal by the model or the store ends the turn, and the turn reports it. */
async function orEnd(running: Running, work: () => Promise<void>): Promise<void> {
  try {
    await work();
  } catch (error) {
    if (isCancellation(error)) throw error;
    const body = fromActivityFailure(error);
    const reason = sentences(body.message, body.hint);
    running.session = giveUp(running.session, { kind: 'no_model', said: reason }, Date.now(), body);
  }
}

async function use(running: Running, { call, turn }: Of<'use'>): Promise<void> {
  const { settings, session } = running;
  const { workflowId, firstExecutionRunId: run_id } = workflowInfo();
  const { tool, args, unreadable, traits } = call;
  const idempotency_key = `${workflowId}:${run_id}:${turn.number}-${turn.steps}-${turn.log.length}`;
  const started = startedIn(tool, idempotency_key);
  if (started !== undefined) running.session = noteStart(session, started);
  // A tool that is not idempotent may have been running when its worker died, so it is not called again.
  const again = traits?.idempotent ?? true;
  const { useTool } = proxyActivities<AssistantActivities>({
    ...optionsOf(settings, `tool ${tool}`),
    retry: again ? { ...AGAIN, nonRetryableErrorTypes: FINAL } : ONCE,
  });
  const used = await useTool({
    ...{ session_id: session.session_id, idempotency_key, run_id },
    ...(session.profile !== undefined && { profile: session.profile }),
    call: { tool, args, ...(unreadable !== undefined && { unreadable }) },
    categories: offeredCategories(turn),
    role: turn.role,
    output_tokens: turn.limits?.output_tokens ?? 1,
    output_bytes: outputRoom(session.entries, turn.pending.length),
  }).catch((error: unknown) => {
    if (isCancellation(error)) {
      running.session = watchUnsure(interruptCall(running.session), started);
      throw error;
    }
    return lost(call, error);
  });
  if (used.failure?.outcome_unknown) running.session = watchUnsure(running.session, started);
  running.session = afterUsing(running.session, call, used, Date.now());
}

/** The id of the job that a call starts. */
function startedIn(tool: string, idempotencyKey: string): string | undefined {
  if (tool === START_TOOL) return startedBy('bulk', idempotencyKey);
  return tool === PROPOSE_TOOL ? startedBy('macro', idempotencyKey) : undefined;
}

/** The call ended without an answer of its own: a tool that changes data may have changed it. */
function lost({ tool, traits }: ModelCall, error: unknown): Used {
  const ended = fromActivityFailure(error);
  const isKnown = traits?.read_only === true || saysUnknown(ended);
  const { message, hint, details } = isKnown ? ended : effectUnknown(tool, sentence(ended.message));
  const reason = sentences(message, hint);
  const { outcome_unknown } = (details ?? {}) as { outcome_unknown?: true };
  const failure = {
    scenario: 'execution_failure',
    said: reason,
    ...(outcome_unknown && { outcome_unknown }),
  };
  return { output: { error: reason }, tokens: Math.ceil(reason.length / 3), failure };
}
