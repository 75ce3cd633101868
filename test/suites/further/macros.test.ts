import { describeFiles } from '../../helpers/describe-files';

describeFiles(
  'workflows/macro-ask',
  'workflows/macro-errors',
  'workflows/macro-fetch',
  'workflows/macro-operations',
  'workflows/macro-shell',
  'workflows/lost-answers',
);
