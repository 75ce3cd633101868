import { randomUUID } from 'node:crypto';
import { join } from 'node:path';
import { continueBulkOperation, getBulkStatus, handleMessage, type Turn } from '../../../src/client';
import { BatchgateError } from '../../../src/contract/errors';
import type { BulkStatus, BulkTurn } from '../../../src/contract/operation';
import { runBatchgate } from '../../../test/helpers/command-line';
import type { Harness } from '../../../test/helpers/harness';
import type { HttpApi } from '../../../test/helpers/http-api';
import { agent, connectAgent, mcpContext, type Connected } from '../../../test/helpers/mcp';
import { isLost, isUnavailable, ranIn, type Answer } from './answers';
import { signalDoors, updateDoors } from './temporal-doors';

/** One decision, sent any number of times. */
export interface Decision {
  /** The name of the decision in the operation's record. */
  by: string;
  id: string;
  shown: { batch: number; attempt: number; digest: string };
}

export interface Stage {
  harness: Harness;
  http: HttpApi;
  folder: string;
  /** An agent whose operator trusts its messages. */
  mcp: Connected;
}

/** A way to read the open question and to confirm it. */
export interface Door {
  name: string;
  look(): Promise<BulkStatus>;
  /** `lost` aborts the wait for the answer. */
  confirm(decision: Decision, lost: AbortSignal): Promise<Answer>;
  /** Its confirmations name nothing: the question must have been open for two seconds. */
  waits?: true;
  /** Its confirmations name no question: one may confirm the question after the one that its sender was shown. */
  unnamed?: true;
  /** It names no question and repeats no id, so a repetition counts as a new confirmation after two seconds. */
  forgets?: true;
  /** The record names the caller instead of the decision. */
  oneCaller?: true;
}

/** The dependencies of the doors of one sender in one operation. */
export interface Place extends Stage {
  id: string;
  session: string;
  /** The sender's key of the HTTP API. */
  key: string;
  look: () => Promise<BulkStatus>;
}

/** The doors of one sender in one operation. */
export async function doorsOf(stage: Stage, id: string): Promise<Door[]> {
  const key = await stage.http.key('approver');
  const look = () => getBulkStatus(stage.harness.client, id);
  const place: Place = { ...stage, id, session: `mcp.runner.${id}`, key, look };
  return [
    ...clientDoors(place),
    ...signalDoors(place),
    ...updateDoors(place),
    ...webDoors(place),
    ...messageDoors(place),
    ...commandLines(place),
    agentDoor(place),
  ];
}

function clientDoors({ harness: { client, taskQueue: task_queue }, id, session, look }: Place): Door[] {
  return [
    {
      name: 'client',
      look,
      confirm: ({ by, shown }) => answerOf(continueBulkOperation(client, id, { ...shown, by })),
    },
    {
      name: 'client, with an id',
      look,
      confirm: ({ by, shown, id: decision_id }) =>
        answerOf(continueBulkOperation(client, id, { ...shown, by, decision_id })),
    },
    {
      name: 'client, bare',
      ...{ look, waits: true, forgets: true },
      confirm: ({ by }) => answerOf(continueBulkOperation(client, id, { by })),
    },
    {
      name: 'client, message',
      look,
      confirm: async ({ by, shown }) => {
        const turn = await handleMessage(client, session, 'yes', { seen: shown, by, task_queue });
        return heard(turn);
      },
    },
  ];
}

/** The message of a defect is worth reporting. */
const wordsOf = ({ code, message }: { code: string; message?: string }): string =>
  code === 'INTERNAL' ? `${code}: ${message}` : code;

async function answerOf(work: Promise<BulkTurn>): Promise<Answer> {
  try {
    return ranIn(await work);
  } catch (error) {
    if (error instanceof BatchgateError && !isUnavailable(error)) return { refused: wordsOf(error) };
    throw error;
  }
}

type Heard = Pick<Turn, 'intent' | 'error' | 'status'>;

/** A yes that needs a further question, or arrives while no question is open, decides nothing. */
function heard({ intent, error, status }: Heard): Answer {
  if (error) return { refused: wordsOf(error) };
  return intent === 'continue' && status ? ranIn(status) : { refused: 'undecided' };
}

type WebBody = BulkTurn & { code?: string; message?: string } & Partial<Heard>;

async function post(
  { http, key }: Place,
  path: string,
  body: object,
  lost: AbortSignal,
  headers: Record<string, string> = {},
): Promise<Answer> {
  const response = await fetch(`${http.url}${path}`, {
    method: 'POST',
    headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json', ...headers },
    body: JSON.stringify(body),
    signal: lost,
  });
  const answer = (await response.json()) as WebBody;
  if (answer.code !== undefined) return { refused: wordsOf({ ...answer, code: answer.code }) };
  return answer.intent === undefined ? ranIn(answer) : heard({ ...answer, intent: answer.intent });
}

const webLook =
  ({ http, id, key }: Place): Door['look'] =>
  async () =>
    (await http.ask('GET', `/v1/operations/${id}`, { key })).body as BulkStatus;

function webDoors(place: Place): Door[] {
  const [look, path] = [webLook(place), `/v1/operations/${place.id}/continue`];
  return [
    { name: 'HTTP', look, confirm: ({ by, shown }, lost) => post(place, path, { ...shown, by }, lost) },
    {
      name: 'HTTP, bare',
      ...{ look, waits: true },
      confirm: ({ by }, lost) => post(place, path, { by }, lost),
    },
    {
      name: 'HTTP, with a key',
      look,
      confirm: ({ by, id: key }, lost) => post(place, path, { by }, lost, { 'idempotency-key': key }),
    },
  ];
}

function messageDoors(place: Place): Door[] {
  const look = webLook(place);
  const say = (body: object, lost: AbortSignal) =>
    post(place, `/v1/sessions/${place.session}/messages`, { text: 'yes', ...body }, lost);
  return [
    { name: 'HTTP message', look, confirm: ({ by, shown }, lost) => say({ by, seen: shown }, lost) },
    {
      name: 'HTTP message, bare',
      ...{ look, waits: true, forgets: true },
      confirm: ({ by }, lost) => say({ by }, lost),
    },
    {
      name: 'HTTP message, with an id',
      look,
      confirm: ({ by, id: message_id }, lost) => say({ by, message_id }, lost),
    },
  ];
}

function commandLines({ harness: { taskQueue }, folder, id, session }: Place): Door[] {
  const dataDir = join(folder, randomUUID());
  const address = process.env['BATCHGATE_TEST_TEMPORAL'] ?? '';
  const env = { TEMPORAL_ADDRESS: address, BATCHGATE_TASK_QUEUE: taskQueue };
  const verb = async (args: string[], begun = Date.now()) => {
    const { stdout } = await runBatchgate([...args, '--json'], { dataDir, env, begun });
    return JSON.parse(stdout) as
      | BulkStatus
      | (Turn & { state?: undefined })
      | { error: { code: string; message?: string }; state?: undefined };
  };
  // A person does not repeat a command whose answer is on the screen: the copies are typed before, and run later.
  const screen = new Map<string, Answer>();
  const typed = new Map<string, number>();
  const type = async ({ by }: Decision, args: string[]): Promise<Answer> => {
    const printed = screen.get(by);
    if (printed) return printed;
    const begun = typed.get(by) ?? Date.now();
    typed.set(by, begun);
    const output = await verb(args, begun);
    const answer: Answer =
      output.state !== undefined
        ? printedIn(output, by)
        : 'intent' in output
          ? heard(output)
          : { refused: wordsOf(output.error) };
    if (!isLost(answer)) screen.set(by, answer);
    return answer;
  };
  const look = async () => {
    const output = await verb(['status', id]);
    if (output.state !== undefined) return output;
    const code = 'error' in output ? output.error?.code : undefined;
    throw Object.assign(new Error(`no status: ${JSON.stringify(output)}`), { code });
  };
  return [
    {
      name: 'command line',
      look,
      confirm: (decision) => type(decision, ['continue', id, '--by', decision.by]),
    },
    {
      name: 'command line, message',
      ...{ look, oneCaller: true },
      confirm: (decision) =>
        type(decision, ['say', 'yes', '--session', session, '--message-id', decision.id]),
    },
  ];
}

function agentDoor({ mcp, id, look }: Place): Door {
  const call = async (name: string, args: object) =>
    (await mcp.call(name, { operation_id: id, ...args }, { onprogress: () => undefined })).data as {
      decision?: string;
      error?: { code: string };
    };
  return {
    name: 'MCP',
    oneCaller: true,
    look: async () => {
      await call('get_bulk_status', {});
      return look();
    },
    confirm: async ({ shown }) => {
      const result = await call('continue_bulk_operation', { batch: shown.batch, person_message: 'yes' });
      if (result.decision === 'confirmed') return { ran: shown.batch };
      return { refused: result.decision ?? result.error?.code ?? 'no answer' };
    },
  };
}

/** A command prints a slightly later status, when the batch of another sender may have run too. */
function printedIn(status: BulkStatus, by: string): Answer {
  const own = status.confirmations.find((one) => one.by === by && one.outcome === 'accepted');
  return own && own.batch !== status.last_batch?.number ? { ran: own.batch } : ranIn(status);
}

/** Connects the agent of the runner. Its operator trusts it, so its messages count as confirmations. */
export const connectRunner = (harness: Harness): Promise<Connected> =>
  connectAgent(mcpContext(harness, [...harness.adapters], { confirm: 'message' }), agent('runner'));
