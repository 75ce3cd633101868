import { describeFiles } from '../../helpers/describe-files';

describeFiles(
  'edges/macro',
  'edges/macro-validation',
  'edges/sql-and-http',
  'edges/tools',
  'edges/trello',
  'edges/webhooks',
  'edges/hygiene',
);
