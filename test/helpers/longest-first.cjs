const { default: Sequencer } = require('@jest/test-sequencer');

/** They take minutes. Begun last, they would run on alone while the other core waits. */
const LONGEST = [
  /\/test\/docs\/docs\./,
  /\/test\/long\/faults\./,
  /\/test\/(mcp\/hostile|api\/document)\./,
  /\/test\/long\/(macro-fuzz|transaction-kills|quarantine)\./,
  /\/test\/(api\/pages|faults\/kills|long\/.+)\./,
  /\/edges\/demo\./,
  /\.conformance\./,
];

/** Jest knows how long a file takes only where it ran before: a fresh clone begins with the longest all the same. */
module.exports = class LongestFirst extends Sequencer {
  sort(tests) {
    const rank = ({ path }) => LONGEST.findIndex((pattern) => pattern.test(path)) >>> 0;
    return super.sort(tests).sort((one, other) => rank(one) - rank(other));
  }
};
