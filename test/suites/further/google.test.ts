import { describeFiles } from '../../helpers/describe-files';

describeFiles(
  'adapters/calendar',
  'adapters/calendar-execute',
  'adapters/calendar-faults',
  'adapters/calendar-shift',
  'adapters/gmail',
  'adapters/gmail-credentials',
  'adapters/gmail-execute',
  'adapters/gmail-labels',
  'adapters/google-credentials',
  'adapters/google-service-account',
  'adapters/local-calendar',
  'adapters/mailbox',
  'adapters/frozen-data',
);
