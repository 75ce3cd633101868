import { describeFiles } from '../../helpers/describe-files';

describeFiles(
  'faults/kills',
  'faults/approval-kills',
  'faults/clients',
  'long/emptied-store',
  'long/stopped-worker',
);
