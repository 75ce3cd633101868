import { conformanceCases, type TestRunner } from '../../src/testing/conformance';
import { inLongRun } from './long-run';

const MAIN_CASES = [
  'changes-its-items-only',
  'captures-item-failures',
  'reconciles-after-a-crash',
  'previews-what-it-does',
  'undoes-what-it-did',
];
const mainTitles = new Set(
  conformanceCases.filter(({ id }) => MAIN_CASES.includes(id)).map(({ title }) => title),
);

/** Registers the most important cases in `npm test`, and all cases in the further suites. */
export const conformanceRunner: TestRunner = inLongRun<TestRunner>(
  { describe, test },
  {
    describe,
    test: Object.assign(
      (title: string, body: () => Promise<void>) => mainTitles.has(title) && test(title, body),
      { skip: () => undefined },
    ),
  },
);
