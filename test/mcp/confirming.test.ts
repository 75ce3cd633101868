import type { Client as McpClient } from '@modelcontextprotocol/client';
import { beginBatch } from '../../src/client';
import type { ConfirmMode } from '../../src/contract/access';
import type { McpContext } from '../../src/mcp/context';
import { createSeal } from '../../src/mcp/confirmation/seal';
import { confirmOpen } from '../helpers/confirm';
import { agent, connectAgent, mcpContext, type Connected } from '../helpers/mcp';
import { countingTool, startHarness, type Harness } from '../helpers/harness';

let harness: Harness;
const tool = countingTool(12);
const open: Connected[] = [];
const told = { onprogress: () => undefined };

beforeAll(async () => (harness = await startHarness({ adapters: [tool.adapter] })));
afterAll(async () => {
  await Promise.all(open.map((one) => one.close()));
  await harness?.close();
});

type Form = (request: any) => any;
const NO_DECISION = 'The host returned no decision';

/** A host whose person or configuration answers forms and links with `answer`. */
async function host(
  confirm: ConfirmMode,
  id: string,
  {
    answer,
    url = false,
    legacy = false,
    manual = false,
    waits,
  }: { answer?: Form; url?: boolean; legacy?: boolean; manual?: boolean; waits?: McpContext['waits'] } = {},
) {
  const elicitation: Record<string, object> = url ? { url: {} } : { form: {} };
  const context = mcpContext(harness, [tool.adapter], { confirm, ...(waits && { waits }) });
  const one = await connectAgent(
    context,
    agent(id),
    {
      versionNegotiation: { mode: legacy ? 'legacy' : 'auto' },
      ...(answer && { capabilities: { elicitation: elicitation as never } }),
      ...(manual && { inputRequired: { autoFulfill: false } }),
    },
    (client: McpClient) => {
      if (answer) client.setRequestHandler('elicitation/create', (request) => answer(request) as never);
    },
  );
  open.push(one);
  const { data } = await one.call('start_bulk_operation', {
    domain: 'fake',
    action: 'mark',
    reason: 'They are all read.',
    params: { group: 'all' },
  });
  return { ...one, context, operation_id: data.operation_id as string };
}

const statusOf = (id: string) => harness.status(id);

describe.each([false, true])('elicit, with a client of 2025: %s', (legacy) => {
  const name = (what: string) => `${what}-${legacy ? 'old' : 'new'}`;

  it('shows the whole question, and runs the batch without the excluded items, as asserted', async () => {
    const shown: string[] = [];
    const answer: Form = ({ params }) => {
      shown.push(params.message);
      return { action: 'accept', content: { decision: 'continue', exclude: '2' } };
    };
    const { call, operation_id } = await host('elicit', name('form'), { answer, legacy });
    const { data } = await call('continue_bulk_operation', { operation_id, batch: 1 }, told);
    expect(data).toMatchObject({ decision: 'confirmed', last_batch: { succeeded: 9, skipped: 1 } });
    const { confirmations } = await statusOf(operation_id);
    expect(confirmations).toMatchObject([
      { by: `agent ${name('form')}`, assurance: 'asserted', note: 'answered in a form of the MCP host' },
    ]);
    expect(shown[0]).toContain('Cannot be undone.');
    expect(shown[0]).toContain('10. Item 10 (item-010)');
    expect(shown[0]).toContain(confirmations[0]?.digest);
    expect(shown).toHaveLength(1);
  });

  it('runs nothing if the form is refused, closed, postponed or filled in wrongly', async () => {
    const answers: ReturnType<Form>[] = [
      { action: 'decline' },
      { action: 'cancel' },
      { action: 'accept', content: { decision: 'not now' } },
      { action: 'accept', content: {} },
      { action: 'accept', content: { decision: 'continue', exclude: '2, 99' } },
    ];
    const { call, operation_id } = await host('elicit', name('no'), {
      answer: () => answers.shift() ?? { action: 'cancel' },
      legacy,
    });
    for (const expected of ['no_decision', 'no_decision', 'declined', 'no_decision', 'INVALID_INPUT']) {
      const { data, texts } = await call('continue_bulk_operation', { operation_id, batch: 1 }, told);
      expect(data.decision ?? data.error.code).toBe(expected);
      expect(texts[0]?.includes(NO_DECISION)).toBe(expected === 'no_decision');
      if (expected === 'no_decision') expect(data.approval_url).toContain(operation_id);
    }
    expect(await statusOf(operation_id)).toMatchObject({ processed: 0, state: 'awaiting_confirmation' });
  });

  it('runs nothing for a form with a note beside "continue" or a note that is too long, and says what to correct', async () => {
    const answers = [
      { decision: 'continue', note: 'but not item 3' },
      { decision: 'continue', note: 'x'.repeat(3_000) },
      { decision: 'send back', note: 'x'.repeat(3_000) },
    ];
    const { call, operation_id } = await host('elicit', name('noted'), {
      answer: () => ({ action: 'accept', content: answers.shift() }),
      legacy,
    });
    for (const message of ['A note belongs to "send back"', 'A note belongs to "send back"', 'longer than']) {
      const { data } = await call('continue_bulk_operation', { operation_id, batch: 1 }, told);
      expect(data.error).toMatchObject({ code: 'INVALID_INPUT', message: expect.stringContaining(message) });
      expect(data.error.message).toContain('Nothing ran.');
    }
    expect(await statusOf(operation_id)).toMatchObject({ processed: 0, state: 'awaiting_confirmation' });
  });

  it('cancels if the form says so', async () => {
    const answer: Form = () => ({ action: 'accept', content: { decision: 'cancel' } });
    const { call, operation_id } = await host('elicit', name('stop'), { answer, legacy });
    const { data } = await call('continue_bulk_operation', { operation_id, batch: 1 }, told);
    expect(data).toMatchObject({ decision: 'cancelled', state: 'cancelled' });
  });

  it('cancels nothing if the question of the form was answered meanwhile', async () => {
    const answer: Form = async () => {
      await confirmOpen(harness.client, operation_id);
      return { action: 'accept', content: { decision: 'cancel' } };
    };
    const { call, operation_id } = await host('elicit', name('late'), { answer, legacy });
    const { data } = await call('continue_bulk_operation', { operation_id, batch: 1 }, told);
    expect(data).toMatchObject({ decision: 'confirmed', state: 'awaiting_confirmation', processed: 10 });
  });

  it('opens the approval page by link, if the client supports that, and accepts no decision about it elsewhere', async () => {
    const asked: any[] = [];
    const answer: Form = ({ params }) => {
      asked.push(params);
      return { action: 'accept', content: { decision: 'continue' } };
    };
    const { call, operation_id } = await host('link', name('url'), { answer, url: true, legacy });
    const { data } = await call('continue_bulk_operation', { operation_id, batch: 1 });
    expect(data).toMatchObject({ decision: 'waiting', processed: 0 });
    expect(asked).toMatchObject([{ mode: 'url', url: `http://127.0.0.1:8787/operations/${operation_id}` }]);
  });

  it('does not ask by a form unless the operator chose that', async () => {
    const answer: Form = () => ({ action: 'accept', content: { decision: 'continue' } });
    const { call, operation_id } = await host('link', name('plain'), { answer, legacy });
    const { data } = await call('continue_bulk_operation', { operation_id, batch: 1 });
    expect(data).toMatchObject({ decision: 'waiting', processed: 0 });
  });
});

describe('the state of a form', () => {
  const accept = { decision: { action: 'accept', content: { decision: 'continue' } } };
  const answer: Form = () => ({ action: 'cancel' });
  /** One round without the client's automatic answers. Returns the server's question or its result. */
  const round = (client: McpClient, operation_id: string, more: object = {}, batch = 1): Promise<any> =>
    client.callTool(
      { name: 'continue_bulk_operation', arguments: { operation_id, batch }, ...more },
      { allowInputRequired: true },
    );
  const answered = (requestState: string) => ({ inputResponses: accept, requestState });
  const refusal = async (work: Promise<any>) => {
    try {
      const result = await work;
      return result.structuredContent?.error?.code ?? result.structuredContent?.decision;
    } catch (error) {
      return (error as { data?: { reason?: string } }).data?.reason;
    }
  };

  it('is valid once, for its operation, its agent and its question', async () => {
    const ada = await host('elicit', 'sealed', { answer, manual: true });
    const { requestState } = await round(ada.client, ada.operation_id);
    const other = await host('elicit', 'sealed-2', { answer, manual: true });
    // The state is used for another operation and by another agent. Here, both servers have the same seal.
    other.context.seal.open = (state, mcp) => ada.context.seal.open(state, mcp);
    other.context.seal.use = (...all) => ada.context.seal.use(...all);
    expect(await refusal(round(other.client, other.operation_id, answered(requestState)))).toBe(
      'STALE_CONFIRMATION',
    );
    // Forged states: another batch, another signature, no content.
    const [version, body = '', mac] = requestState.split('.');
    const payload = JSON.parse(Buffer.from(body, 'base64url').toString());
    const forged = Buffer.from(JSON.stringify({ ...payload, p: { ...payload.p, batch: 2 } })).toString(
      'base64url',
    );
    for (const state of [`${version}.${forged}.${mac}`, `${version}.${body}.AAAA`, 'v1', '', 'null'])
      expect(await refusal(round(ada.client, ada.operation_id, answered(state)))).toBe(
        'invalid_request_state',
      );
    // An answer without the state of a question.
    expect(await refusal(round(ada.client, ada.operation_id, { inputResponses: accept }))).toBe(
      'STALE_CONFIRMATION',
    );
    expect((await statusOf(ada.operation_id)).processed).toBe(0);
    const wrong = await refusal(round(ada.client, ada.operation_id, answered(requestState), 2));
    expect(wrong).toBe('STALE_CONFIRMATION');
    const done = await round(ada.client, ada.operation_id, answered(requestState));
    expect(done.structuredContent.processed).toBeLessThanOrEqual(10);
    const replayed = await refusal(round(ada.client, ada.operation_id, answered(requestState)));
    expect(replayed).toBe('STALE_CONFIRMATION');
    const next = await refusal(round(ada.client, ada.operation_id, answered(requestState), 2));
    expect(next).toBe('STALE_CONFIRMATION');
  });

  it('decides nothing about a question that is over, or after it has expired', async () => {
    const ada = await host('elicit', 'late', { answer, manual: true });
    const { requestState } = await round(ada.client, ada.operation_id);
    await beginBatch(harness.client, ada.operation_id, { batch: 1, by: 'Grace' });
    const { data } = await ada.call(
      'continue_bulk_operation',
      { operation_id: ada.operation_id, batch: 1 },
      told,
    );
    expect(data.decision).toBe('confirmed');
    expect(await refusal(round(ada.client, ada.operation_id, answered(requestState)))).toBe(
      'STALE_CONFIRMATION',
    );
    expect((await statusOf(ada.operation_id)).processed).toBe(10);
    const seal = createSeal(Buffer.alloc(32, 1), -1);
    const gate = { batch: 2, attempt: 1, digest: 'any' };
    const state = await seal.close(gate, ada.operation_id, 'late', undefined as never);
    await expect(seal.open(state, undefined as never)).rejects.toThrow('expired');
  });
});

describe('a host that answers a question with anything but a decision', () => {
  const given = [null, {}, [], 'yes', { action: 'approve' }, { error: { code: -1, message: 'no window' } }];

  it.each(given)('is told that it returned none, with the link (%j)', async (decision) => {
    const { client, operation_id } = await host('elicit', `mute-${JSON.stringify(decision)}`, {
      answer: () => ({ action: 'cancel' }),
      manual: true,
    });
    const ask = (more: object = {}): Promise<any> =>
      client.callTool(
        { name: 'continue_bulk_operation', arguments: { operation_id, batch: 1 }, ...more },
        { allowInputRequired: true },
      );
    const { requestState } = await ask();
    const { structuredContent, content } = await ask({ inputResponses: { decision }, requestState });
    expect(structuredContent).toMatchObject({ decision: 'no_decision', state: 'awaiting_confirmation' });
    expect(content[0].text).toContain(NO_DECISION);
  });

  const broken: [string, 'elicit' | 'link', () => unknown][] = [
    ...(['elicit', 'link'] as const).flatMap((confirm): [string, 'elicit' | 'link', () => unknown][] => [
      ['an error', confirm, () => Promise.reject(new Error('no window is open'))],
      ['an empty object', confirm, () => ({})],
    ]),
    ['null', 'elicit', () => null],
  ];
  it.each(broken)('is told so as a client of 2025 too: %s to %s', async (what, confirm, answer) => {
    const { call, operation_id } = await host(confirm, `old ${what} ${confirm}`, {
      answer: answer as Form,
      url: confirm === 'link',
      legacy: true,
    });
    const { data, texts } = await call('continue_bulk_operation', { operation_id, batch: 1 }, told);
    expect(data).toMatchObject({ decision: 'no_decision', state: 'awaiting_confirmation', processed: 0 });
    expect(texts[0]).toContain(NO_DECISION);
    expect(data.approval_url).toContain(operation_id);
  });

  it('is told that nobody answered in time, if its form stays open', async () => {
    const never: Form = () => new Promise(() => undefined) as never;
    const waits = { silent: 20, told: 50, started: 60_000, progress: 50, suggestions: 30_000 };
    const { call, operation_id } = await host('elicit', 'slow', { answer: never, legacy: true, waits });
    const { data, texts } = await call('continue_bulk_operation', { operation_id, batch: 1 }, told);
    expect(data).toMatchObject({ decision: 'waiting', state: 'awaiting_confirmation' });
    expect(texts[0]).toContain('Nobody answered the question of the host in time');
  });
});
