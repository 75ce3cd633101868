import fc from '../helpers/properties';
import { startHarness, type Harness } from '../helpers/harness';
import { anything } from './model.commands';
import { newModel, Reality, Tool } from './model.reality';

/** Each run is a random life of one operation on the real server. The seed makes a failure reproducible. */
describe.each([
  ['in one run', 25, 20261121],
  ['with continue-as-new after each batch', 1, 20261122],
])('%s', (_, batches_per_run, seed) => {
  const tool = new Tool();
  let harness: Harness;

  beforeAll(async () => {
    // A batch that died is reconciled once its last call must have ended, so calls are short here.
    harness = await startHarness({
      adapters: [tool.adapter],
      settings: { batches_per_run, call_timeout_ms: 2_000 },
      policies: [{ name: 'four eyes', when: 'requester == "two"', require: { approvals: 2 } }],
    });
  });
  afterAll(() => harness.close());

  it('behaves like the model, item by item, whatever is decided and whatever fails', async () => {
    const ends = new Set<string>();
    let batches = 0;
    await fc.assert(
      fc.asyncProperty(fc.constantFrom(undefined, 2), anything, async (needed, commands) => {
        const reality = await Reality.start(harness, tool, needed);
        const model = newModel(needed);
        await fc.asyncModelRun(() => ({ model, real: reality }), commands);
        ends.add(model.state);
        batches += model.accepted;
        await reality.finish(model);
      }),
      { seed, numRuns: 8, endOnFailure: true },
    );
    // A seed with few accepted confirmations would prove little.
    expect(batches).toBeGreaterThan(5);
    expect(ends.size).toBeGreaterThan(1);
  });
});
