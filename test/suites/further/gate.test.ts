import { describeFiles } from '../../helpers/describe-files';

describeFiles(
  'workflows/deadline-races',
  'workflows/deadlines',
  'workflows/decisions',
  'workflows/embedded',
  'workflows/model',
  'workflows/progress-records',
  'workflows/read-ahead',
  'workflows/revisions',
  'workflows/undecodable',
  'workflows/begin',
  'workflows/time',
  'workflows/away-ledger',
);
