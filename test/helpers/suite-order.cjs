const { basename, dirname } = require('node:path');
const { default: Sequencer } = require('@jest/test-sequencer');

/**
 * Pure computation comes first, in fresh workers: V8 runs code that other contexts have loaded before up to fourteen
 * times slower. The longest suites follow, so that none runs alone at the end while the other core is idle.
 */
const FIRST = [
  ...['fast/tools', 'fast/progress-and-words', 'fast/macros', 'fast/operations'],
  ...['main/adapters', 'main/docs', 'main/crash', 'main/page', 'main/gate', 'main/endings'],
  ...[
    'further/mutations',
    'further/docs',
    'further/faults',
    'further/pages',
    'further/document',
    'further/package',
  ],
];

/** Set in CI: first the suites that a change reaches, then the others (scripts/further-tests.ts). */
const GIVEN = process.env.BATCHGATE_TESTS_ORDER?.split(',');

/** Jest only has the duration of a file that ran before; this also orders the suites in a new clone. */
module.exports = class SuiteOrder extends Sequencer {
  sort(tests) {
    const order = GIVEN ?? FIRST;
    const rank = ({ path }) =>
      order.indexOf(`${basename(dirname(path))}/${basename(path, '.test.ts')}`) >>> 0;
    return super.sort(tests).sort((one, other) => rank(one) - rank(other));
  }
};
