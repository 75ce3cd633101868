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

/** One decision, however often it is sent. */
export interface Decision {
  /** Names the decision in the operation's record. */
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

/** One way to look at the open question, and to confirm it. */
export interface Door {
  name: string;
  look(): Promise<BulkStatus>;
  /** `lost` aborts the wait for the answer. */
  confirm(decision: Decision, lost: AbortSignal): Promise<Answer>;
  /** A confirmation names nothing: the question must have been open for two seconds. */
  waits?: true;
  /** It names no question: it may confirm the one after the question that its sender was shown. */
  unnamed?: true;
  /** It names neither question nor sender memory, so a repetition counts as a new one after two seconds. */
  forgets?: true;
  /** The record names the caller, and not the decision. */
  oneCaller?: true;
}

/** Everything that the doors of one sender in one operation need. */
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
        const said = await handleMessage(client, session, 'yes', { seen: shown, by, task_queue });
        return heard(said);
      },
    },
  ];
}

/** What a defect says is worth knowing. */
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

/** A yes that is asked back, or heard when nothing waits, decides nothing. */
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
  // Nobody types a command again whose answer is on the screen: the copies were all typed before, and run when they can.
  const screen = new Map<string, Answer>();
  const typed = new Map<string, number>();
  const type = async ({ by }: Decision, args: string[]): Promise<Answer> => {
    const printed = screen.get(by);
    if (printed) return printed;
    const begun = typed.get(by) ?? Date.now();
    typed.set(by, begun);
    const said = await verb(args, begun);
    const answer: Answer =
      said.state !== undefined
        ? printedIn(said, by)
        : 'intent' in said
          ? heard(said)
          : { refused: wordsOf(said.error) };
    if (!isLost(answer)) screen.set(by, answer);
    return answer;
  };
  const look = async () => {
    const said = await verb(['status', id]);
    if (said.state !== undefined) return said;
    const code = 'error' in said ? said.error?.code : undefined;
    throw Object.assign(new Error(`no status: ${JSON.stringify(said)}`), { code });
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
      const said = await call('continue_bulk_operation', { batch: shown.batch, person_message: 'yes' });
      if (said.decision === 'confirmed') return { ran: shown.batch };
      return { refused: said.decision ?? said.error?.code ?? 'no answer' };
    },
  };
}

/** A command prints the status of a moment later, when the batch of another sender may have run too. */
function printedIn(status: BulkStatus, by: string): Answer {
  const own = status.confirmations.find((one) => one.by === by && one.outcome === 'accepted');
  return own && own.batch !== status.last_batch?.number ? { ran: own.batch } : ranIn(status);
}

/** The agent of the runner: its messages count, because its operator trusts it. */
export const connectRunner = (harness: Harness): Promise<Connected> =>
  connectAgent(mcpContext(harness, [...harness.adapters], { confirm: 'message' }), agent('runner'));
