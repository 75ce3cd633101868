import { conformanceRunner } from '../helpers/conformance-cases';
import { describeConformance } from '../../src/testing/conformance';
import { CONNECTIONS } from '../../activities/adapters/imap';
import { openImapWorld, stopDovecot } from './imap-world';

afterAll(stopDovecot);

describeConformance(
  'imap',
  {
    open: openImapWorld,
    concurrency: CONNECTIONS,
    exempt: {
      'respects-other-changes': 'an email has a mark or is in a folder whatever else was done to it',
      'respects-changes-after-it': 'an email has a mark or lacks it: there is no third value',
    },
  },
  conformanceRunner,
);
