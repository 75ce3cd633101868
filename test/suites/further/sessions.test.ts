import { describeFiles } from '../../helpers/describe-files';

describeFiles(
  'workflows/session-memory',
  'workflows/hygiene',
  'workflows/hygiene-markers',
  'workflows/webhook-patience',
);
