import { Context } from '@temporalio/activity';
import { TOO_DEEP } from '../../src/contract/text';
import { BatchgateError } from '../../src/contract/errors';
import type { ToolDatabase } from '../../src/contract/tools';
import type { Json, Macro } from '../../src/contract/macro';
import type {
  AskInput,
  CallToolInput,
  FetchRowsInput,
  MacroActivities,
  ResolvedMacro,
  ResolveMacroInput,
  TransactionActivities,
} from '../../src/contract/macro-activities';
import { hasStep } from '../../src/core/macro/calls';
import { mistakesError } from '../../src/core/macro/parse';
import { singleRow } from '../../src/core/macro/select-rows';
import { measure } from '../../src/core/macro/size';
import { mayHaveChanged } from '../../src/core/gateway/errors';
import { validateBundle } from '../../src/core/macro/validate';
import { findMacro, loadCalled } from '../../src/host/macro-files';
import type { ActivityDependencies } from '../shared/dependencies';
import { asActivity } from '../shared/failures';
import { findRefs, injectRefs } from '../../src/core/gateway/refs';
import { asText } from '../../src/core/macro/prompt';
import type { MacroDependencies } from '../shared/dependencies';
import type { ModelInput } from './model';
import { readFileRows } from './rows';
import { againAfterShutdown, heartbeating, isGivenUp } from '../shared/heartbeat';
import { untilEnded } from '../shared/heartbeat';
import type { Session } from './transactions/session';
import type { Sessions } from './transactions/sessions';

/** Temporal accepts 2 MB per payload, and a run holds more than one result. */
const MAX_RESULT_BYTES = 1_000_000;
const ANSWER_MS = 200;

/** Creates the activities of macros from their dependencies. */
export function createMacroActivities({
  macros,
  operations,
}: Pick<ActivityDependencies, 'macros' | 'operations'>): MacroActivities {
  return {
    resolveMacro: (input) => asActivity(() => resolveMacro(macros, input)),
    callTool: (input) =>
      asActivity(
        () => heartbeating(() => againAfterShutdown(() => callTool(macros, input))),
        // A tool's refusal keeps the code of its reason. Only a failure before the call of the tool is retried.
        ({ code }) => code !== 'INTERNAL',
      ),
    ask: (input) =>
      asActivity(() =>
        heartbeating(async (signal) => {
          if (macros.model === undefined) throw noModel();
          const answer = await macros.model.ask(await withReferences(macros, input), signal);
          return { ...answer, output: bounded(answer.output, 'The answer') };
        }),
      ),
    fetchRows: (input) => asActivity(() => heartbeating((signal) => fetchRows(macros, input, signal))),
    ...createTransactionActivities(macros),
    awaitOperation: ({ operation_id }) =>
      asActivity(() => untilEnded((signal, within) => operations.ended(operation_id, signal, within))),
  };
}

async function resolveMacro(
  dependencies: MacroDependencies,
  input: ResolveMacroInput,
): Promise<ResolvedMacro> {
  const { tools, model, macrosDir } = dependencies;
  const folders = macrosDir === undefined ? [] : [macrosDir];
  const root = typeof input.macro === 'string' ? await named(input.macro, folders) : input.macro;
  const bundle = await loadCalled(root, input.macros ?? {}, folders);
  const available = tools();
  const databases = dependencies.sessions === undefined ? [] : (dependencies.databases?.names ?? []);
  const { args, database } = input;
  const limits = await dependencies.limits(input.profile);
  const mistakes = validateBundle(bundle, { tools: available, databases, args, database, limits });
  if (mistakes.length > 0) throw mistakesError(mistakes);
  if (model === undefined && hasStep(bundle, (step) => step.type === 'ask' && step.of !== 'person'))
    throw noModel();
  const callable = available.map(({ name, read_only, idempotent, transactional }) => [
    name,
    { read_only, idempotent: read_only || idempotent, transactional },
  ]);
  return {
    bundle,
    tools: Object.fromEntries(callable) as ResolvedMacro['tools'],
    limits,
  };
}

async function named(name: string, folders: readonly string[]): Promise<Macro> {
  const file = await findMacro(name, folders);
  if (file === undefined) {
    throw new BatchgateError(
      'INVALID_INPUT',
      `There is no macro '${name}' in macros_dir.`,
      folders.length === 0
        ? 'Set "macros_dir" in batchgate.config.json where the worker runs, or send the macro itself.'
        : `Put ${name}.json there, or send the macro itself.`,
    );
  }
  if ('mistakes' in file) throw mistakesError(file.mistakes);
  return file.macro;
}

function noModel(): BatchgateError {
  return new BatchgateError(
    'NOT_CONFIGURED',
    'The macro asks a model, and none is configured.',
    'Set BATCHGATE_MODEL_BASE_URL and BATCHGATE_MODEL_NAME (and BATCHGATE_MODEL_API_KEY) where the worker runs, or let a person answer by "of": "person".',
  );
}

/** Returns the prompt with each reference replaced by the session's data. */
async function withReferences(
  { scratchpad }: MacroDependencies,
  { prompt, references, session_id, ...input }: AskInput,
): Promise<ModelInput> {
  if (typeof prompt === 'string') return { ...input, prompt };
  const keys = findRefs('ask', prompt, references);
  const data =
    session_id === undefined ? new Map<string, unknown>() : await scratchpad.read(session_id, keys);
  const { args } = injectRefs('ask', prompt, data, references);
  return { ...input, prompt: (args as Json[]).map(asText).join('') };
}

async function callTool(dependencies: MacroDependencies, input: CallToolInput): Promise<Json> {
  const { cancellationSignal: signal, info } = Context.current();
  const { tool, args, references, session_id, idempotency_key, run_id, transaction, by_agent } = input;
  const job_id = info.workflowExecution?.workflowId ?? '';
  const definition = dependencies.tools().find(({ name }) => name === tool);
  const doubt: Record<string, Json> =
    definition && mayHaveChanged(definition) ? { tool, outcome_unknown: true } : {};
  const call = async (database?: ToolDatabase) => {
    const output = await dependencies.gateway.call(
      { tool, args, references, caller: 'macro' },
      {
        session_id,
        database,
        job: { job_id, run_id },
        ...(by_agent && { by_agent }),
        idempotency_key,
        repeated: info.attempt > 1,
        signal,
        // The gateway should report the timeout before Temporal does.
        deadline: Date.now() + info.startToCloseTimeoutMs - ANSWER_MS,
      },
    );
    return bounded((output ?? null) as Json, `What ${tool} answered`, doubt);
  };
  return transaction === undefined ? call() : sessionOf(dependencies, transaction).step(signal, call);
}

async function fetchRows(
  dependencies: MacroDependencies,
  { transaction, ...input }: FetchRowsInput,
  signal: AbortSignal,
): Promise<Json> {
  const { databases, resourcesDir } = dependencies;
  const readRows = async (within?: ToolDatabase) =>
    databases?.names.includes(input.source)
      ? databases.rows(input, signal, within)
      : readFileRows(input, resourcesDir);
  const rows =
    transaction === undefined
      ? await readRows()
      : await sessionOf(dependencies, transaction).step(signal, readRows);
  return bounded(input.single ? singleRow(rows, input) : rows, `What ${input.resource} holds`);
}

/** `details`: details of the error. The call was made, so it may have changed data. */
function bounded(value: Json, what: string, details: Record<string, Json> = {}): Json {
  const { bytes, depth } = measure(value);
  if (depth === Infinity)
    throw new BatchgateError(
      'TOOL_FAILED',
      `[TOOL ERROR] ${what} ${TOO_DEEP}.`,
      '[HINT]: Ask for a part of it, or have it flattened where it comes from.',
      details,
    );
  if (bytes <= MAX_RESULT_BYTES) return value;
  throw new BatchgateError(
    'TOOL_FAILED',
    `[TOOL ERROR] ${what} is ${bytes} bytes, and at most ${MAX_RESULT_BYTES} fit.`,
    '[HINT]: Ask for less: fewer rows by "filter" and "limit", or a summary.',
    details,
  );
}

/** Creates the activities of transactions over the sessions of this worker. */
function createTransactionActivities(
  dependencies: Pick<MacroDependencies, 'sessions'>,
): TransactionActivities {
  const sessions = () => sessionsOf(dependencies);
  return {
    openTransaction: (input) =>
      asActivity(() => heartbeating((signal) => sessions().open({ ...input, run_id: runId() }, signal))),
    holdTransaction: ({ key }) =>
      asActivity(() => heartbeating((signal) => sessions().hold(key, signal, () => isGivenUp(signal)))),
    moveSavepoint: ({ key, name, move }) =>
      asActivity(() => heartbeating(() => sessions().get(key).savepoint(name, move))),
    endTransaction: (input) => asActivity(() => heartbeating(() => sessions().end(input))),
    resolveTransaction: (input) =>
      asActivity(() => heartbeating((signal) => sessions().resolve({ ...input, run_id: runId() }, signal))),
  };
}

/** Returns the id of the calling macro run, which is its workflow id. */
const runId = () => Context.current().info.workflowExecution?.workflowId ?? '';

/** Returns the session of a transaction that this worker holds. @throws BatchgateError */
const sessionOf = (dependencies: Pick<MacroDependencies, 'sessions'>, key: string): Session =>
  sessionsOf(dependencies).get(key);

function sessionsOf({ sessions }: Pick<MacroDependencies, 'sessions'>): Sessions {
  if (sessions) return sessions;
  throw new BatchgateError(
    'NOT_CONFIGURED',
    'This worker has no databases.',
    'Name them under "databases" in batchgate.config.json where the worker runs.',
  );
}
