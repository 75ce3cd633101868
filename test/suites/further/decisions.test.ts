import { describeFiles } from '../../helpers/describe-files';

describeFiles(
  'workflows/policies',
  'workflows/ramps',
  'workflows/schedule',
  'api/bare-confirmations',
  'api/records',
  'edges/records',
  'edges/item-proofs',
  'store/stats',
  'docs/public-names',
);
