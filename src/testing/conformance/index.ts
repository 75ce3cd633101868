import type { ConformanceCase, ConformanceWorld } from './subject';
import { changingCases } from './changing';
import { describingCases } from './describing';
import { faultCases } from './faults';
import { previewingCases } from './previewing';
import { readingCases } from './reading';
import { secretCases } from './secrets';

export type { ConformanceCase } from './subject';
export { httpCalls } from './http-calls';
export type { HttpRefusals } from './http-calls';
export type { ConformanceRequest, ConformanceWorld, Fault, FaultRule, ProviderCall } from './subject';

const DEFAULT_CONCURRENCY = 5;

/** The adapter contract and the behaviour of real providers, as executable cases. */
export const conformanceCases: readonly ConformanceCase[] = [
  ...readingCases,
  ...describingCases,
  ...changingCases,
  ...previewingCases,
  ...faultCases,
  ...secretCases,
];

/** Runs one case against a new world. Throws if the case fails. */
export async function runConformanceCase(
  subject: ConformanceSubject,
  testCase: ConformanceCase,
): Promise<void> {
  const world = await subject.open();
  try {
    await testCase.run(world, { concurrency: subject.concurrency ?? DEFAULT_CONCURRENCY });
  } finally {
    await world.close();
  }
}

/** The adapter to check. */
type ConformanceSubject = Parameters<typeof describeConformance>[1];
export type TestRunner = NonNullable<Parameters<typeof describeConformance>[2]>;

/**
 * Binds the kit to a test runner, by default to Jest's globals, with one test per case. An exempted case becomes a
 * skipped test with the reason in its name.
 *
 * @example
 * describeConformance('shelf', { open: openShelf });
 */
export function describeConformance(
  name: string,
  subject: {
    open(): Promise<ConformanceWorld>;
    /** Cases that do not apply, by id, with the reason that the verdict shows. */
    readonly exempt?: Readonly<Record<string, string>>;
    /** The limit of concurrent calls. Default 5. */
    readonly concurrency?: number;
  },
  /** The test runner. `node:test` provides both functions too. */
  {
    describe,
    test,
  }: {
    readonly describe: (name: string, body: () => void) => unknown;
    readonly test: ((name: string, body: () => Promise<void>) => unknown) & {
      skip(name: string, body: () => void): unknown;
    };
    // eslint-disable-next-line @typescript-eslint/no-unnecessary-type-assertion -- the build has no types of Jest
  } = globalThis as unknown as TestRunner,
): void {
  refuseUnknownExemptions(subject);
  describe(`the adapter ${name}`, () => {
    for (const testCase of conformanceCases) {
      const exempt = subject.exempt?.[testCase.id];
      if (exempt === undefined) test(testCase.title, () => runConformanceCase(subject, testCase));
      else test.skip(`${testCase.title} (does not apply: ${exempt})`, () => undefined);
    }
  });
}

function refuseUnknownExemptions({ exempt = {} }: ConformanceSubject): void {
  const ids = new Set(conformanceCases.map(({ id }) => id));
  const unknownIds = Object.keys(exempt).filter((id) => !ids.has(id));
  if (unknownIds.length > 0) throw new Error(`There is no conformance case ${unknownIds.join(', ')}`);
}
