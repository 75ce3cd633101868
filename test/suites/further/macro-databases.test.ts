import { describeFiles } from '../../helpers/describe-files';

describeFiles(
  'workflows/macro-sql-tools',
  'workflows/macro-transactions-beside',
  'workflows/tool-effects',
  'long/macro-memory',
  'long/macro-large',
  'workflows/tools',
  'workflows/tool-refusals',
);
