import { describeFiles } from '../../helpers/describe-files';

describeFiles(
  'edges/macro',
  'edges/sql-and-http',
  'edges/tools',
  'edges/trello',
  'edges/webhooks',
  'edges/hygiene',
);
