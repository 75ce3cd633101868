const { default: Sequencer } = require('@jest/test-sequencer');

/** These files take minutes. If they started last, they would run alone while the other core waits. */
const LONGEST = [
  /\/test\/docs\/docs\./,
  /\/test\/long\/faults\./,
  /\/test\/long\/(mcp-hostile|document)\./,
  /\/test\/long\/(macro-fuzz|transaction-kills|quarantine)\./,
  /\/test\/(api\/pages|faults\/kills|long\/.+)\./,
  /\.conformance\./,
];

/** Jest knows the duration of a file only where it ran before; this also orders the files in a new clone. */
module.exports = class LongestFirst extends Sequencer {
  sort(tests) {
    const rank = ({ path }) => LONGEST.findIndex((pattern) => pattern.test(path)) >>> 0;
    return super.sort(tests).sort((one, other) => rank(one) - rank(other));
  }
};
