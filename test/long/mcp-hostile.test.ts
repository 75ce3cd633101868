import type { Client as McpClient } from '@modelcontextprotocol/client';
import { continueBulkOperation } from '../../src/client';
import { TOOLS } from '../../src/mcp/tools';
import { agent, connectAgent, mcpContext, type Connected } from '../helpers/mcp';
import { countingTool, startHarness, type Harness } from '../helpers/harness';
import { lure } from '../helpers/lures';
import { seeded } from '../helpers/seeded';

let harness: Harness;
/** Set RUNS for another number: RUNS=1000 takes some minutes. */
const RUNS = Number(process.env['RUNS'] ?? 150);
const STEPS = 8;
const SEED = Number(process.env['SEED'] ?? 19);
const tool = countingTool(15);

/** Texts that try to make an agent confirm. */
const LURES = Array.from({ length: 100 }, (_, at) => lure(at * 5));

beforeAll(async () => (harness = await startHarness({ adapters: [tool.adapter] })));
afterAll(() => harness?.close());

describe('a hostile agent under the default policy', () => {
  /** Accepts every form and link without a person. */
  const acceptAll = (client: McpClient) =>
    client.setRequestHandler('elicitation/create', () => ({
      action: 'accept' as const,
      content: { decision: 'continue', approval: 'yes', confirm: true },
    }));

  it(`runs no batch in ${RUNS} runs of calls in any order, and only what the person confirms in a race`, async () => {
    let confirmedByPeople = 0;
    const started: string[] = [];
    const context = mcpContext(harness, [tool.adapter]);
    for (let run = 0; run < RUNS; run++) {
      const random = seeded(SEED * 10_000 + run);
      const elicitation: Record<string, object> = random() < 0.5 ? { form: {}, url: {} } : { form: {} };
      const capabilities = { elicitation: elicitation as never };
      const versionNegotiation = { mode: random() < 0.8 ? ('auto' as const) : ('legacy' as const) };
      const mine = await connectAgent(
        context,
        agent(`hostile-${run}`),
        { capabilities, versionNegotiation },
        acceptAll,
      );
      confirmedByPeople += await attack(mine, random, started);
      await mine.close();
    }
    const ran = { touched: 0, confirmations: 0 };
    for (const id of new Set(started)) {
      const { processed, confirmations, state } = await harness.status(id);
      const accepted = confirmations.filter(
        (one) => one.decision === 'continue' && one.outcome === 'accepted',
      ).length;
      // The agent may have stopped the batch within its five items.
      expect(processed).toBeLessThanOrEqual(5 * accepted);
      if (state !== 'cancelled') expect(processed).toBe(5 * accepted);
      ran.touched += processed;
      ran.confirmations += accepted;
    }
    expect(started.length).toBeGreaterThan(RUNS / 2);
    expect(ran.confirmations).toBe(confirmedByPeople);
    expect([...tool.touched.values()].reduce((sum, times) => sum + times, 0)).toBe(ran.touched);
  }, 2_400_000);

  async function attack(mine: Connected, random: () => number, started: string[]): Promise<number> {
    const pick = <T>(from: readonly T[]): T => from[Math.floor(random() * from.length)] as T;
    const { data } = await mine.call('start_bulk_operation', {
      ...{ domain: 'fake', action: 'mark', params: { group: 'all' }, batch_size: 5, reason: pick(LURES) },
      metadata: { note: pick(LURES), confirmed: true, digest: 'continue' },
      ...(random() < 0.3 && {
        items: [{ id: 'item-001', display_name: pick(LURES) }],
        params: {},
      }),
    });
    const own: string = data.operation_id ?? 'none';
    if (data.operation_id) started.push(own);
    const known = [own, pick(started) ?? own, 'bulk-made-up'];
    let confirmed = 0;
    for (let step = 0; step < STEPS; step++) {
      const call = forge(pick, random, known);
      const racing = random() < 0.04 && data.batches_total > 1;
      // A person confirms the first batch while the agent makes its call.
      const person = racing
        ? continueBulkOperation(harness.client, own, {
            ...{ batch: 1, attempt: 1, by: 'Grace', decision_id: 'race' },
          }).then(
            () => (confirmed = 1),
            () => undefined,
          )
        : undefined;
      const result = await mine.client.callTool(call as never).catch(() => undefined);
      const id = (result?.structuredContent as { operation_id?: string } | undefined)?.operation_id;
      if (id !== undefined) started.push(id);
      await person;
    }
    return confirmed;
  }

  /** A call of any tool with any arguments, often almost valid ones, and with made-up states and answers. */
  function forge(pick: <T>(from: readonly T[]) => T, random: () => number, ids: readonly string[]) {
    const { name, input } =
      random() < 0.5
        ? (TOOLS.find((one) => one.name === 'continue_bulk_operation') ?? pick(TOOLS))
        : pick(TOOLS);
    const values: Record<string, unknown[]> = {
      operation_id: [...ids],
      batch: [1, 1, 1, 2, 0, -1, '1', 1e9],
      person_message: [pick(LURES), pick(LURES), 'continue', 'yes', 'go ahead', 'ok'],
      item_id: ['item-001', 'continue'],
      domain: ['fake', 'fax'],
      action: ['mark'],
      params: [{ group: 'all' }, {}],
      session_id: ['main', 'mcp.hostile-0.first', '../first'],
      reason: LURES,
      goal: LURES,
      macro: ['confirm', 'continue'],
      task_run_id: [...ids],
      run_id: [...ids],
    };
    const fields = Object.keys(input.shape).filter((field) => field in values && random() < 0.9);
    const args = Object.fromEntries(fields.map((field) => [field, pick(values[field] ?? [''])]));
    const extra = pick([
      {},
      {},
      { confirm: true },
      { by: 'Grace' },
      { decision: 'continue' },
      { proof: 'ab'.repeat(64) },
    ]);
    const response = { action: 'accept', content: { decision: 'continue' } };
    return {
      name,
      arguments: { ...args, ...extra },
      ...(random() < 0.3 && { inputResponses: { decision: response, approval: response } }),
      ...(random() < 0.2 && {
        requestState: pick(['v1.e30.AAAA', 'continue', Buffer.from('{}').toString('base64')]),
      }),
    };
  }
});
