const { default: Sequencer } = require('@jest/test-sequencer');

/**
 * Pure computation comes first: V8 runs code that other contexts have loaded before up to fourteen times slower. The
 * other files take minutes; if they started last, they would run alone while the other core waits.
 */
const FIRST = [
  /\/unit\/(payload-bounds|plain-text|mcp-results|intent)\./,
  /\/test\/docs\/docs\./,
  /\/test\/long\/faults\./,
  /\/test\/long\/(mcp-hostile|document)\./,
  /\/test\/long\/(macro-fuzz|transaction-kills|quarantine)\./,
  /\/test\/(api\/pages|faults\/kills|long\/.+)\./,
];

/** Jest knows the duration of a file only where it ran before; this also orders the files in a new clone. */
module.exports = class LongestFirst extends Sequencer {
  sort(tests) {
    const rank = ({ path }) => FIRST.findIndex((pattern) => pattern.test(path)) >>> 0;
    return super.sort(tests).sort((one, other) => rank(one) - rank(other));
  }
};
