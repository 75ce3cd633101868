import { ApplicationFailure } from '@temporalio/common';
import { MockActivityEnvironment } from '@temporalio/testing';
import { DefaultLogger } from '@temporalio/worker';
import { createMacroActivities } from '../../activities/macro';
import { createGateway } from '../../activities/tools/gateway';
import type { ErrorBody } from '../../src/contract/errors';
import { utf8Length } from '../../src/contract/items';
import type { Json } from '../../src/contract/macro';
import type { MacroActivities, ResolvedMacro } from '../../src/contract/macro-activities';
import { fromFailureFields } from '../../src/core/shared/failures';
import { handOver, takeOver, type Handover } from '../../src/core/macro/handover';
import { MAX_COST } from '../../src/core/macro/limits';
import { advance, settle, type Action, type Settled } from '../../src/core/macro/machine';
import { beginMachine, type Machine, type Thread } from '../../src/core/macro/machine-state';
import { inTransaction } from '../../src/core/macro/transaction';
import { resultOf, type MacroRun } from '../../src/core/macro/view';
import { cancelThread } from '../../src/core/macro/unwind';
import type { MacroResult } from '../../src/contract/macro-run';
import { DEFAULT_SETTINGS } from '../../src/contract/settings';
import { createToolRegistry } from '../../src/core/gateway/tool-registry';
import { FUZZ_TOOLS } from './tools';
import type { Program } from './programs';
import { wrongEnd } from './findings';

/** The maximum number of moves. A program with more is cut off: it is long, but not wrong. */
const MAX_MOVES = 300_000;
/** The maximum cost of one condition, the most expensive kind of step. */
const DEAREST_STEP = 60_000_000;
const MAX_PAYLOAD_BYTES = 2_000_000;

export interface ModelRun {
  state: MacroResult['state'] | 'cut off';
  error?: ErrorBody;
  wrong: string[];
  calls: number;
  steps: number;
  breaths: number;
  /** The most expensive task, by its processor time; milliseconds. */
  longest_ms: number;
}

export interface World {
  activities: MacroActivities;
}

/** Creates a worker's macro activities, over the tools of the fuzzer and the files of a folder. */
export function createWorld(resourcesDir: string): World {
  const registry = createToolRegistry(FUZZ_TOOLS);
  const scratchpad = { read: () => Promise.resolve(new Map<string, unknown>()) };
  const gateway = createGateway({
    ...{ registry, scratchpad, maxLimit: 200 },
    profile: () => Promise.resolve({ op_tool_output_limit_tokens: 4_000 }),
  });
  const macros = {
    ...{ gateway, scratchpad, resourcesDir, tools: () => registry.listTools({ caller: 'macro' }) },
    limits: () => Promise.resolve(LIMITS),
    model: MODEL,
    databases: { names: DATABASES, rows: () => Promise.resolve([{ id: 1, text: 'a' }]) },
    sessions: {} as never,
  };
  const nothing = () => Promise.resolve(undefined);
  const operations = { ended: nothing, macroEnded: nothing, expireProposal: nothing };
  return { activities: createMacroActivities({ macros, operations }) };
}

export const LIMITS = { at_once: 4, calls: 300 };
export const DATABASES = ['main', 'other'];
/** A model that answers with short texts, or with JSON if that is requested. */
export const MODEL = {
  ask: ({ output_schema }: { output_schema?: object }) =>
    Promise.resolve({ output: output_schema ? {} : 'yes', tokens: { input: 1, output: 1 } }),
};

/** A silent log, because activities fail on purpose here. */
const SILENT = { logger: new DefaultLogger('ERROR') };

async function called<T>(work: () => Promise<T>): Promise<{ value: T } | { error: ErrorBody }> {
  try {
    return { value: await new MockActivityEnvironment({}, SILENT).run<[], T, () => Promise<T>>(work) };
  } catch (error) {
    const failure = error instanceof ApplicationFailure ? fromFailureFields(error) : undefined;
    if (failure === undefined) throw error;
    return { error: failure };
  }
}

/**
 * Runs a program with the product's machine and activities, without a server. Random choices decide which thread runs
 * next, which call fails, when the run is handed over, and whether it is cancelled.
 */
export async function runModel(
  world: World,
  { macro, macros, args }: Program,
  draw: (below: number) => number,
): Promise<ModelRun> {
  const base = { wrong: [], calls: 0, steps: 0, breaths: 0, longest_ms: 0 };
  const input = { macro, macros, args } as unknown as Parameters<MacroActivities['resolveMacro']>[0];
  const resolved = await called(() => world.activities.resolveMacro(input));
  if ('error' in resolved)
    return { ...base, state: 'rejected', error: resolved.error, wrong: wrongEnd('rejected', resolved.error) };
  const driver = createDriver(world, resolved.value, args, draw);
  return driver();
}

// One closure: its parts share the machine, the open calls and the findings.
// eslint-disable-next-line max-lines-per-function
function createDriver(
  world: World,
  resolved: ResolvedMacro,
  args: Program['args'],
  draw: (below: number) => number,
): () => Promise<ModelRun> {
  const { bundle, limits } = resolved;
  let run = beginRun(beginMachine(bundle, args, limits), resolved);
  const wrong: string[] = [];
  const open = new Map<number, Exclude<Action, { kind: 'stepped' | 'over' | 'forked' | 'wait' | 'yield' }>>();
  const waiting = new Map<number, number>();
  const machineOf = () => run.begun?.machine as Machine;
  const cancelAt = draw(40) === 0 ? draw(200) : Infinity;
  const seen = { breaths: 0, longest_ms: 0, since: process.cpuUsage() };
  const startTask = () => {
    const { user, system } = process.cpuUsage(seen.since);
    seen.longest_ms = Math.max(seen.longest_ms, (user + system) / 1_000);
    seen.since = process.cpuUsage();
  };

  const carryOut = async (id: number, thread: Thread, action: Exclude<Action, { kind: 'stepped' }>) => {
    const settled = await outcomeOf(world, resolved, thread, action, draw);
    if (machineOf().threads[id]) settle(machineOf(), id, settled, 0);
  };
  const move = async (id: number) => {
    const machine = machineOf();
    const thread = machine.threads[id];
    if (thread === undefined) return;
    const request = open.get(id);
    if (request) {
      open.delete(id);
      startTask();
      await carryOut(id, thread, request);
      seen.since = process.cpuUsage();
      return;
    }
    const before = machine.cost;
    const action = advance(machine, bundle, id, 0);
    if (machine.cost - before > DEAREST_STEP) wrong.push(`one step cost ${machine.cost - before}`);
    if (before > MAX_COST + DEAREST_STEP) wrong.push(`a task cost ${before}`);
    if (action.kind === 'yield') {
      seen.breaths++;
      startTask();
    } else if (action.kind === 'wait') waiting.set(id, action.changes);
    else if (action.kind !== 'over' && action.kind !== 'stepped' && action.kind !== 'forked') {
      const sent = action.kind === 'call' ? utf8Length(JSON.stringify(action.call)) : 0;
      if (sent > MAX_PAYLOAD_BYTES) wrong.push(`a call of ${sent} bytes`);
      open.set(id, action);
    }
  };
  return async () => {
    let moves = 0;
    for (; Object.keys(machineOf().threads).length > 0 && moves < MAX_MOVES; moves++) {
      const machine = machineOf();
      const main = machine.threads[0];
      if (moves === cancelAt && main) cancelThread(machine, main);
      const ids = Object.keys(machine.threads)
        .map(Number)
        .filter((id) => waiting.get(id) !== machine.changes);
      if (ids.length === 0) return { ...ended(), wrong: [...wrong, 'all threads wait for each other'] };
      await move(ids[ids.length > 1 ? draw(ids.length) : 0] ?? 0);
      if (open.size === 0 && !inTransaction(machineOf()) && moves % 50 === 49) {
        const next = handedOver(run);
        if (next) run = next;
      }
    }
    return ended();
  };

  function ended(): ModelRun {
    const machine = machineOf();
    const counts = { calls: machine.calls, steps: machine.steps_total, ...seen };
    const { outcome } = machine;
    if (outcome === undefined || Object.keys(machine.threads).length > 0)
      return { ...counts, state: 'cut off', wrong };
    run.state = outcome.state;
    if (outcome.error) run.error = outcome.error;
    const result = resultOf(run);
    const size = utf8Length(JSON.stringify(result));
    if (size > MAX_PAYLOAD_BYTES) wrong.push(`a result of ${size} bytes`);
    wrong.push(...wrongEnd(result.state, result.error, machine.trace));
    return { ...counts, state: result.state, ...(result.error && { error: result.error }), wrong };
  }
}

function beginRun(machine: Machine, resolved: ResolvedMacro): MacroRun {
  const begun = { machine, resolved, settings: DEFAULT_SETTINGS };
  return { run_id: 'r', macro: 'main', state: 'running', created_at: 0, updated_at: 0, begun };
}

/** The machine of the next run in the chain; undefined if it is too large to be handed over. */
function handedOver(run: MacroRun): MacroRun | undefined {
  const handed = handOver(run);
  if ('refusal' in handed) return undefined;
  return takeOver(JSON.parse(JSON.stringify(handed.handover)) as Handover);
}

/** The outcome of an action. Transactions are simulated: they begin, end and get lost at random. */
async function outcomeOf(
  { activities }: World,
  resolved: ResolvedMacro,
  thread: Thread,
  action: Action,
  draw: (below: number) => number,
): Promise<Settled> {
  const error: ErrorBody = { code: 'ADAPTER_UNAVAILABLE', message: 'It was lost.', hint: 'Try again.' };
  if (draw(60) === 0) return { ok: false, error, lost: draw(2) === 0 };
  if (action.kind !== 'call') return { ok: true };
  const { call } = action;
  if (thread.unwinding && draw(2) === 0) return { ok: false, error };
  const answer = await answerTo(activities, resolved, call);
  const opened =
    (call.do === 'tool' &&
      call.transaction !== undefined &&
      resolved.tools[call.tool]?.transactional === true) ||
    (call.do === 'fetch' && call.transaction !== undefined);
  return 'error' in answer
    ? { ok: false, error: answer.error, opened }
    : { ok: true, opened, ...(answer.value !== undefined && { value: answer.value }) };
}

type Call = Extract<Action, { kind: 'call' }>['call'];

async function answerTo(
  activities: MacroActivities,
  { tools }: ResolvedMacro,
  call: Call,
): Promise<{ value?: Json } | { error: ErrorBody }> {
  switch (call.do) {
    case 'question':
      return { value: 'yes' };
    case 'end':
    case 'wait':
      return {};
    case 'ask': {
      const answer = await called(() => activities.ask(call.input));
      return 'error' in answer ? answer : { value: answer.value.output };
    }
    case 'fetch':
      return called(() => activities.fetchRows(call.input));
    case 'tool': {
      if (tools[call.tool]?.transactional && call.transaction) return { value: null };
      const { tool, args, references } = call;
      const input = { tool, args, references, idempotency_key: 'k', run_id: 'r' };
      return called(() => activities.callTool(input));
    }
  }
}
