import { conformanceRunner } from '../helpers/conformance-cases';
import { describeConformance } from '../../src/testing/conformance';
import { openGmailWorld, stopGmail } from './gmail-world';

afterAll(stopGmail);

describeConformance(
  'gmail',
  {
    open: openGmailWorld,
    exempt: {
      'respects-other-changes': 'a label is put on or taken off whatever else the email bears',
      'respects-changes-after-it': 'an email has a label or lacks it: there is no third value',
    },
  },
  conformanceRunner,
);
